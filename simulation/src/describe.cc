#include "describe.h"

namespace escapement::simulation {
namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

template <typename T>
std::string text(T number) {
  return ' ' + std::to_string(number);
}
std::string text(Instant at) {
  return at == kNever ? " never" : ' ' + std::to_string(to_micros(at));
}
std::string text(const std::string& word) { return ' ' + word; }
std::string text(domain::RunId id) { return text(id.value); }
std::string text(domain::JobId id) { return text(id.value); }

std::string text(const domain::Run& run) {
  return text(run.id) + text(run.app) + '/' + (run.job.empty() ? run.key : run.job) + " r" +
         std::to_string(run.revision) + " a" + std::to_string(run.attempt) + ' ' +
         std::string{to_string(run.state)} + " due" + text(run.due) + " next" +
         text(run.next_attempt_at) + " elapsed_term" + text(run.elapsed_term) +
         (run.reason.empty() ? "" : ' ' + run.reason);
}

std::string text(const engine::Armed& armed) {
  return " backlog" + text(armed.backlog) + " from" + text(armed.from) + " until" +
         text(armed.until);
}

std::string text(const engine::Mutation& mutation) {
  using namespace engine;
  return std::visit(
      Overloaded{
          [](const PutJob& m) {
            return "PutJob" + text(m.job.id) + text(m.job.name) + " r" +
                   std::to_string(m.job.revision) + " next" + text(m.job.next_due) +
                   (m.job.spec->enabled ? "" : " paused");
          },
          [](const RemoveJob& m) { return "RemoveJob" + text(m.id) + text(m.expected_revision); },
          [](const AdvanceJob& m) {
            return "AdvanceJob" + text(m.id) + text(m.expected_revision) + text(m.from) +
                   text(m.to);
          },
          [](const InsertRun& m) { return "InsertRun" + text(m.run); },
          [](const UpdateRun& m) {
            return "UpdateRun" + text(m.after) + " expects" + text(m.expected_revision) +
                   (m.attempt ? " attempt" + text(m.attempt->number) + ' ' +
                                    std::string{to_string(m.attempt->state)}
                              : "") +
                   (m.replace_spec ? " moves" : "");
          },
          [](const ReleaseKey& m) { return "ReleaseKey" + text(m.id); },
          [](const DropPlanned& m) { return "DropPlanned" + text(m.job) + text(m.after); },
          [](const CancelPlanned& m) {
            std::string line = "CancelPlanned" + text(m.job) + " except";
            for (const domain::RunId id : m.except) line += text(id);
            return line;
          },
          [](const AddMiss& m) {
            return "AddMiss" + text(m.job) + text(m.miss.from) + text(m.miss.to) +
                   text(m.miss.count) + text(m.miss.reason);
          },
          [](const SetArmed& m) { return "SetArmed" + text(m.armed); },
          [](const ShiftElapsed& m) {
            return "ShiftElapsed" + text(m.elapsed_term) + text(m.delta.count());
          },
          [](const Prune& m) { return "Prune" + text(m.finished_before); },
      },
      mutation);
}

}  // namespace

std::string describe(const engine::StoreRequest& request) {
  using namespace engine;
  return std::visit(Overloaded{
                        [](const Write& write) {
                          std::string line = "Write";
                          for (const Mutation& mutation : write.mutations) {
                            line += " {" + text(mutation) + '}';
                          }
                          return line;
                        },
                        [](const LoadDue& load) {
                          return "LoadDue" + text(load.from) + text(load.until) +
                                 text(load.cursor_at) + text(load.cursor_id) + text(load.limit);
                        },
                        [](const FindTimers& find) {
                          std::string line = "FindTimers" + text(find.app);
                          for (const std::string& key : find.keys) line += text(key);
                          return line;
                        },
                        [](const FindRun& find) { return "FindRun" + text(find.id); },
                        [](const FindOutcome& find) { return "FindOutcome" + text(find.write); },
                        [](const ListRuns&) { return std::string{"ListRuns"}; },
                        [](const GetRun& get) { return "GetRun" + text(get.id); },
                        [](const AuditCounters&) { return std::string{"AuditCounters"}; },
                    },
                    request);
}

std::string describe(const engine::StoreAnswer& answer) {
  std::string line = std::to_string(answer.ticket);
  if (!answer.result.ok()) {
    return line + ' ' + std::string{to_string(answer.result.error().code)} + ' ' +
           answer.result.error().message;
  }
  if (const auto* page = std::get_if<engine::RunPage>(&*answer.result)) {
    line += " runs" + text(page->runs.size()) + (page->more ? " and more" : "");
    for (const domain::Run& run : page->runs) line += text(run.id);
  }
  if (const auto* written = std::get_if<engine::Written>(&*answer.result)) {
    line += " affected";
    for (const std::int64_t rows : written->affected) line += text(rows);
  }
  if (const auto* outcome = std::get_if<engine::Outcome>(&*answer.result)) {
    line += outcome->committed ? " committed" : " not committed";
  }
  return line;
}

std::string describe(const engine::Reply& reply) {
  std::string line = std::to_string(reply.number);
  if (!reply.result.ok()) {
    line += ' ' + std::string{to_string(reply.result.error().code)} + ' ' +
            reply.result.error().message;
  } else if (const auto* runs = std::get_if<engine::RunsReply>(&*reply.result)) {
    for (const domain::Run& run : runs->runs) line += " [" + text(run) + " ]";
  } else if (const auto* job = std::get_if<engine::JobReply>(&*reply.result)) {
    line += " job" + text(job->job.id) + " r" + std::to_string(job->job.revision);
  } else {
    line += " ok" + text(reply.result->index());
  }
  if (reply.current) line += " current" + text(*reply.current);
  return line;
}

std::string describe(const engine::Notice& notice) {
  using namespace engine;
  return std::visit(
      Overloaded{
          [](const RunFinished& n) { return "RunFinished" + text(n.run); },
          [](const CaughtUp& n) {
            return "CaughtUp" + text(n.unknown_attempts) + text(n.overdue_runs);
          },
          [](const Skipped& n) { return "Skipped" + text(n.job) + text(n.miss.count); },
          [](const ClockStepped& n) { return "ClockStepped" + text(n.delta.count()); },
          [](const StoreFailed& n) { return "StoreFailed" + text(n.error.message); },
      },
      notice);
}

std::string describe(const engine::CommandBody& command) {
  using namespace engine;
  return std::visit(
      Overloaded{
          [](const UpsertJob& c) { return "UpsertJob" + text(c.ref.app) + '/' + c.ref.name; },
          [](const DeleteJob& c) { return "DeleteJob" + text(c.ref.app) + '/' + c.ref.name; },
          [](const PauseJob& c) { return "PauseJob" + text(c.ref.app) + '/' + c.ref.name; },
          [](const ResumeJob& c) { return "ResumeJob" + text(c.ref.app) + '/' + c.ref.name; },
          [](const TriggerJob& c) {
            return "TriggerJob" + text(c.ref.app) + '/' + c.ref.name + text(c.request.in.count()) +
                   text(c.idempotency_key);
          },
          [](const PutTimers& c) {
            std::string line = "PutTimers" + text(c.app) + text(c.idempotency_key);
            for (const domain::TimerRequest& timer : c.timers) {
              line += text(timer.key) + (timer.in ? " in" + text(timer.in->count()) : "") +
                      (timer.at ? " at" + text(*timer.at) : "") + (timer.reuse ? " reuse" : "");
            }
            return line;
          },
          [](const CancelTimer& c) { return "CancelTimer" + text(c.app) + '/' + c.key; },
          [&](const auto&) { return "query" + text(command.index()); },
      },
      command);
}

}  // namespace escapement::simulation
