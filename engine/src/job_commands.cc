#include "job_commands.h"

#include "recorder.h"

namespace escapement::engine {

void JobCommands::fail(std::uint64_t number, Error error) {
  core_.out.push_back(Reply{number, std::move(error), std::nullopt});
}

void JobCommands::reply_job(std::uint64_t number, const JobPtr& job, bool created) {
  core_.out.push_back(Reply{number, ReplyBody{JobReply{job->row, created}}, std::nullopt});
}

JobPtr JobCommands::find(const JobRef& ref) {
  auto found = core_.jobs.find({ref.app, ref.name});
  return found == core_.jobs.end() ? nullptr : found->second;
}

void JobCommands::with_job(std::uint64_t number, const JobRef& ref,
                           std::function<void(JobPtr)> work) {
  JobPtr job = find(ref);
  if (!job) return fail(number, {ErrorCode::not_found, "no such job: " + ref.name, "name"});
  when_free(job, [this, number, ref, job, work = std::move(work)] {
    if (find(ref) == job && job->committed) return work(job);
    with_job(number, ref, work);  // it went away, or came anew, meanwhile
  });
}

// ---- upsert -----------------------------------------------------------------------------------

void JobCommands::upsert(std::uint64_t number, const UpsertJob& command) {
  JobPtr job = find(command.ref);
  if (!job) return create(number, command);
  when_free(job, [this, number, command, job] {
    if (find(command.ref) != job || !job->committed) return upsert(number, command);
    edit(number, job, command.spec);
  });
}

void JobCommands::create(std::uint64_t number, const UpsertJob& command) {
  const Instant now = core_.time.now().wall;
  auto job = std::make_shared<JobState>();
  job->row.id = core_.new_job_id();
  job->row.app = command.ref.app;
  job->row.name = command.ref.name;
  job->row.spec = command.spec;
  job->row.created_at = job->row.updated_at = now;
  const auto* every = std::get_if<domain::EverySchedule>(&command.spec->schedule);
  job->row.anchor = every != nullptr && every->anchor ? *every->anchor : now;
  job->row.next_due = planner_.first_due(*command.spec, job->row.anchor, now);
  job->reference_offset = core_.time.offset();
  job->busy = true;
  core_.jobs[{command.ref.app, command.ref.name}] = job;
  core_.jobs_by_id[job->row.id.value] = job;
  core_.store.write({PutJob{job->row, 0}}, [this, number, job](const Result<Written>& result) {
    job->committed = result.ok();
    if (result.ok()) {
      reply_job(number, job, true);
    } else {
      core_.jobs.erase({job->row.app, job->row.name});
      core_.jobs_by_id.erase(job->row.id.value);
      job->removed = true;
      fail(number, result.error());
    }
    release(job);
    if (!job->busy) planner_.enlist(job);
  });
}

// Whether an edit deletes this run: a planned first attempt that was never armed.
bool JobCommands::drops(const LiveRun& run, Instant bound) {
  return run.row.origin == domain::RunOrigin::occurrence && run.row.attempt == 1 &&
         (run.phase == Phase::armed || run.phase == Phase::ready) &&
         run.row.next_attempt_at > bound;
}

Instant JobCommands::next_due_after_edit(const JobState& job, const domain::Job& row,
                                         Instant bound) const {
  const domain::Schedule& schedule = row.spec->schedule;
  Instant after = core_.time.now().wall;
  bool live = false;
  bool dropped = false;
  for (RunId id : job.loaded) {
    const LiveRun& run = *keeper_.find(id);
    if (run.row.origin != domain::RunOrigin::occurrence) continue;
    if (drops(run, bound)) {
      dropped = true;
      continue;
    }
    live = true;
    after = std::max(after, run.row.next_attempt_at);
  }
  if (std::holds_alternative<domain::FixedDelaySchedule>(schedule) && live) return kNever;
  const auto* at = std::get_if<domain::AtSchedule>(&schedule);
  const auto* before = std::get_if<domain::AtSchedule>(&job.row.spec->schedule);
  if (at != nullptr && before != nullptr && at->at == before->at && !dropped &&
      job.row.next_due == kNever && job.row.spec->enabled) {
    return kNever;  // it has fired, or is about to
  }
  return planner_.first_due(*row.spec, row.anchor, after);
}

void JobCommands::edit(std::uint64_t number, const JobPtr& job, const SpecPtr& spec) {
  const Instant now = core_.time.now().wall;
  const Instant bound = std::max(keeper_.armed_bound(), now);
  domain::Job row = job->row;
  row.spec = spec;
  row.revision = job->row.revision + 1;
  row.updated_at = now;
  const auto* every = std::get_if<domain::EverySchedule>(&spec->schedule);
  // A creation in the future means that the clock was stepped back: the grid starts anew.
  row.anchor = every != nullptr && every->anchor ? *every->anchor : std::min(row.created_at, now);
  row.next_due = next_due_after_edit(*job, row, bound);
  job->busy = true;
  planner_.withdraw(job);
  Mutations mutations{PutJob{row, job->row.revision}, DropPlanned{row.id, bound}};
  core_.store.write(std::move(mutations),
                    [this, number, job, row, bound](const Result<Written>& result) mutable {
                      if (result.ok()) {
                        const std::int64_t dropped = forget_dropped(job, bound);
                        const auto& affected = result->affected;
                        const std::int64_t count = affected.size() == 2 ? affected[1] : dropped;
                        core_.count(job.get(), {.produced = -count});
                        row.counters = job->row.counters;
                      }
                      on_edited(number, job, row, result);
                    });
}

std::int64_t JobCommands::forget_dropped(const JobPtr& job, Instant bound) {
  std::vector<RunId> dropped;
  for (RunId id : job->loaded) {
    if (drops(*keeper_.find(id), bound)) dropped.push_back(id);
  }
  for (RunId id : dropped) keeper_.forget(id);
  return static_cast<std::int64_t>(dropped.size());
}

void JobCommands::on_edited(std::uint64_t number, const JobPtr& job, const domain::Job& row,
                            const Result<Written>& result) {
  if (result.ok()) {
    job->row = row;
    job->reference_offset = core_.time.offset();
    // Planned anew from now: nothing of it is overdue work, whatever the clock does.
    job->cut_base = Instant::min();
    job->cut.reset();
    reply_job(number, job, false);
  } else {
    fail(number, result.error());
  }
  release(job);
  if (!job->busy) planner_.enlist(job);
}

// ---- pause, resume, trigger -------------------------------------------------------------------

void JobCommands::pause(std::uint64_t number, const JobRef& ref, bool paused) {
  with_job(number, ref, [this, number, paused](const JobPtr& job) {
    if (job->row.spec->enabled != paused) return reply_job(number, job, false);
    auto spec = std::make_shared<domain::JobSpec>(*job->row.spec);
    spec->enabled = !paused;
    edit(number, job, spec);
  });
}

void JobCommands::trigger(std::uint64_t number, const TriggerJob& command) {
  with_job(number, command.ref, [this, number, command](const JobPtr& job) {
    const Now now = core_.time.now();
    Run run;
    run.id = core_.new_run_id();
    run.job_id = job->row.id;
    run.origin = domain::RunOrigin::trigger;
    run.app = job->row.app;
    run.job = job->row.name;
    run.due = run.next_attempt_at = saturating_add(now.wall, command.request.in);
    run.elapsed_term = core_.term;
    run.created_at = now.wall;
    run.payload = command.request.payload;
    run.idempotency_key = command.idempotency_key;
    const Elapsed at = saturating_add(now.elapsed, command.request.in);
    run.next_attempt_at = core_.time.to_stored(at, run.due);
    job->busy = true;
    planner_.withdraw(job);
    const Moment moment{at, core_.time.offset()};
    core_.store.write({InsertRun{run}}, [=, this](const Result<Written>& result) {
      if (result.ok()) {
        core_.count(job.get(), {.produced = 1});
        keeper_.place_new(run, moment);
        core_.out.push_back(Reply{number, ReplyBody{RunsReply{{run}, {true}}}, std::nullopt});
      } else {
        Error error = result.error();
        if (error.code == ErrorCode::conflict) {
          error.message = "a run was triggered with this Idempotency-Key already";
          error.field = "Idempotency-Key";
        }
        fail(number, std::move(error));
      }
      release(job);
      if (!job->busy) planner_.enlist(job);
    });
  });
}

// ---- delete -----------------------------------------------------------------------------------

void JobCommands::remove(std::uint64_t number, const DeleteJob& command) {
  with_job(number, command.ref, [this, number](const JobPtr& job) { remove_free(number, job); });
}

void JobCommands::remove_free(std::uint64_t number, const JobPtr& job) {
  std::vector<RunId> started;
  std::vector<RunId> held;
  const auto loaded = job->loaded;
  for (RunId id : loaded) {
    LiveRun& run = *keeper_.find(id);
    if (run.phase == Phase::in_flight || run.phase == Phase::recording) {
      started.push_back(id);
    } else {
      keeper_.disarm(run);  // the wheel first: nothing of it fires while the store is asked
      held.push_back(id);
    }
  }
  job->busy = true;
  planner_.withdraw(job);
  Mutations mutations{CancelPlanned{job->row.id, started, core_.time.now().wall, "job deleted"},
                      RemoveJob{job->row.id, job->row.revision}};
  core_.store.write(std::move(mutations), [this, number, job, held](const Result<Written>& result) {
    on_removed(number, job, held, result);
  });
}

void JobCommands::on_removed(std::uint64_t number, const JobPtr& job,
                             const std::vector<RunId>& held, const Result<Written>& result) {
  if (result.ok()) {
    const auto& affected = result->affected;
    const auto known = static_cast<std::int64_t>(held.size());
    core_.count(job.get(), {.cancelled = affected.empty() ? known : affected[0]});
    for (RunId id : held) keeper_.forget(id);
    core_.jobs.erase({job->row.app, job->row.name});
    core_.jobs_by_id.erase(job->row.id.value);
    job->removed = true;
    reply_job(number, job, false);
  } else {
    for (RunId id : held) {
      if (LiveRun* run = keeper_.find(id)) keeper_.place(*run);
    }
    fail(number, result.error());
  }
  release(job);
  if (!job->busy) planner_.enlist(job);
}

// ---- show -------------------------------------------------------------------------------------

void JobCommands::show(std::uint64_t number, const JobRef& ref) {
  JobPtr job = find(ref);
  if (!job || !job->committed) {
    return fail(number, {ErrorCode::not_found, "no such job: " + ref.name, "name"});
  }
  reply_job(number, job, false);
}

void JobCommands::list(std::uint64_t number, const ListJobs& command) {
  JobPage page;
  auto at = core_.jobs.upper_bound({command.app, command.after_name});
  if (command.after_name.empty()) at = core_.jobs.lower_bound({command.app, ""});
  for (; at != core_.jobs.end() && at->first.first == command.app; ++at) {
    if (!at->second->committed) continue;
    if (page.jobs.size() == command.limit) {
      page.more = true;
      break;
    }
    page.jobs.push_back(at->second->row);
  }
  core_.out.push_back(Reply{number, ReplyBody{std::move(page)}, std::nullopt});
}

}  // namespace escapement::engine
