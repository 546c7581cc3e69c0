#include "handler_detail.h"

namespace escapement::api {
namespace {

// Path and query are as a job's own route wants them.
Status check_job_path(const Context& context) {
  if (Status status = check_path(context, "name"); !status.ok()) return status;
  return refuse_query(context);
}

engine::JobRef job_ref(const Context& context) { return {context.names[0], context.names[1]}; }

Response job_response(const engine::ReplyBody& body) {
  const auto& reply = std::get<engine::JobReply>(body);
  return json_response(reply.created ? 201 : 200, domain::to_json(reply.job));
}

// A route that only names a job.
template <typename Command>
Outcome about_job(const Context& context) {
  if (const Status status = check_job_path(context); !status.ok()) {
    return error_response(status.error());
  }
  return Call{Command{job_ref(context)}, job_response};
}

Result<domain::JobSpec> read_spec(const Context& context) {
  const Result<Json> json = json_body(context, context.options.limits.body_bytes);
  if (!json.ok()) return json.error();
  Result<domain::JobSpec> spec = domain::job_spec_from_json(*json);
  if (!spec.ok()) return spec.error();
  const Status allowed = check_target(context.options, spec->target, "target");
  if (!allowed.ok()) return allowed.error();
  return spec;
}

// An empty body is a trigger without wishes.
Result<domain::TriggerRequest> read_trigger(const Context& context) {
  if (context.request.body.empty()) return domain::TriggerRequest{};
  const Result<Json> json = json_body(context, context.options.limits.body_bytes);
  if (!json.ok()) return json.error();
  return domain::trigger_request_from_json(*json);
}

Json page_json(const engine::JobPage& page) {
  Json jobs = Json::array();
  for (const domain::Job& job : page.jobs) jobs.push_back(domain::to_json(job));
  Json json{{"jobs", std::move(jobs)}, {"next_cursor", nullptr}};
  if (page.more && !page.jobs.empty()) json["next_cursor"] = page.jobs.back().name;
  return json;
}

}  // namespace

Outcome put_job(const Context& context) {
  if (const Status status = check_job_path(context); !status.ok()) {
    return error_response(status.error());
  }
  Result<domain::JobSpec> spec = read_spec(context);
  if (!spec.ok()) return error_response(spec.error());
  return Call{engine::UpsertJob{job_ref(context),
                                std::make_shared<const domain::JobSpec>(std::move(*spec))},
              job_response};
}

Outcome get_job(const Context& context) { return about_job<engine::ShowJob>(context); }
Outcome delete_job(const Context& context) { return about_job<engine::DeleteJob>(context); }
Outcome pause_job(const Context& context) { return about_job<engine::PauseJob>(context); }
Outcome resume_job(const Context& context) { return about_job<engine::ResumeJob>(context); }

Outcome trigger_job(const Context& context) {
  if (const Status status = check_job_path(context); !status.ok()) {
    return error_response(status.error());
  }
  Result<std::string> key = idempotency_key(context);
  if (!key.ok()) return error_response(key.error());
  Result<domain::TriggerRequest> request = read_trigger(context);
  if (!request.ok()) return error_response(request.error());
  return Call{engine::TriggerJob{job_ref(context), std::move(*request), std::move(*key)},
              [store = context.options.store_name](const engine::ReplyBody& body) {
                return json_response(200, domain::to_json(single_run(body), store));
              }};
}

Outcome list_jobs(const Context& context) {
  if (const Status status = check_path(context, ""); !status.ok()) {
    return error_response(status.error());
  }
  QueryReader reader(context.query);
  engine::ListJobs command{.app = context.names[0]};
  command.after_name = reader.string("cursor").value_or("");
  command.limit = read_limit(reader);
  if (const Status status = reader.finish(); !status.ok()) return error_response(status.error());
  return Call{std::move(command), [](const engine::ReplyBody& body) {
                return json_response(200, page_json(std::get<engine::JobPage>(body)));
              }};
}

}  // namespace escapement::api
