#include "exec_runner.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>

#include "attempt_results.h"
#include "exec_program.h"
#include "output_buffer.h"

namespace escapement::targets {
namespace {

// What an epoll event is about: the low bits of its tag, above them the command's id.
enum Channel : std::uint64_t { kInput, kOutput, kControl, kChannels };
constexpr std::uint64_t kInboxTag = 0;  // ids begin at 1
constexpr int kEventsPerWait = 64;
constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kReadsPerEvent = 8;  // then others have their turn
constexpr int kReadsAtEnd = 64;    // a pipe holds 64 KiB; a stray writer cannot hold us longer
constexpr int kSignalStatus = 128;

// A write to a command that closed its stdin must not end the server.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

struct ExecRunner::Command {
  std::uint64_t id = 0;
  engine::Dispatch dispatch;
  SpawnedProcess process;
  std::size_t written = 0;  // of the stdin text
  OutputBuffer output;
  std::optional<SupervisorReport> report;
  bool aborted = false;

  const domain::ExecTarget& target() const {
    return std::get<domain::ExecTarget>(*dispatch.target);
  }

  const std::string& input() const {
    return dispatch.payload ? *dispatch.payload : target().stdin_text;
  }

  // Writes what the pipe takes; closes it at the end or when nobody reads any more.
  void feed() {
    while (written < input().size()) {
      const ssize_t size =
          write(process.input.get(), input().data() + written, input().size() - written);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size < 0) break;
      written += static_cast<std::size_t>(size);
    }
    process.input.reset();
  }

  void drain(int reads) {
    std::string block(kReadBytes, '\0');
    while (process.output.ok() && reads-- > 0) {
      const ssize_t size = read(process.output.get(), block.data(), block.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size <= 0) return process.output.reset();
      output.append({block.data(), static_cast<std::size_t>(size)});
    }
  }

  engine::AttemptResult judge() const {
    const engine::AttemptKey key = dispatch.key;
    if (!report) return failed(key, "the command's supervisor was killed");
    if (report->kind == SupervisorReport::exited && report->value == 0) return {.key = key};
    engine::AttemptResult result = failed(key, describe(*report, target()));
    result.retryable = is_retryable(*report);
    return result;
  }

  engine::AttemptResult result(bool stopping) {
    engine::AttemptResult result = judge();
    if (aborted) result = timed_out(dispatch.key, dispatch.timeout);
    if (!aborted && stopping && result.state != domain::AttemptState::succeeded) {
      result.error = std::string(kShuttingDown) + ": " + result.error;
    }
    if (report && report->kind == SupervisorReport::exited) result.status = report->value;
    if (report && report->kind == SupervisorReport::signalled) {
      result.status = kSignalStatus + report->value;
    }
    result.output = output.take();
    return result;
  }
};

ExecRunner::ExecRunner(ExecOptions options, engine::ResultSink sink)
    : options_(std::move(options)),
      sink_(std::move(sink)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      inbox_ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  ESCAPEMENT_CHECK(epoll_.ok() && inbox_ready_.ok());
  epoll_event event{.events = EPOLLIN, .data = {.u64 = kInboxTag}};
  ESCAPEMENT_CHECK(epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, inbox_ready_.get(), &event) == 0);
  thread_ = std::thread([this] { run(); });
}

ExecRunner::~ExecRunner() { shutdown(); }

bool ExecRunner::enqueue(Message message) {
  const std::lock_guard lock(mutex_);
  if (closing_) return false;
  inbox_.push_back(std::move(message));
  eventfd_write(inbox_ready_.get(), 1);
  return true;
}

void ExecRunner::start(engine::Dispatch dispatch) {
  const engine::AttemptKey key = dispatch.key;
  if (!enqueue(std::move(dispatch))) sink_(failed(key, kShuttingDown));
}

void ExecRunner::abort(engine::AttemptKey key) { enqueue(key); }

void ExecRunner::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    eventfd_write(inbox_ready_.get(), 1);
  }
  std::call_once(joined_, [this] { thread_.join(); });
}

void ExecRunner::run() {
  block_signals();
  epoll_event events[kEventsPerWait];
  while (!stopping_ || !commands_.empty()) {
    const int count = epoll_wait(epoll_.get(), events, kEventsPerWait, -1);
    for (int i = 0; i < count; ++i) on_event(events[i].data.u64);
  }
}

void ExecRunner::take_messages() {
  eventfd_t ignored = 0;
  eventfd_read(inbox_ready_.get(), &ignored);
  std::vector<Message> messages;
  bool closing = false;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(inbox_);
    closing = closing_;
  }
  for (Message& message : messages) {
    if (auto* dispatch = std::get_if<engine::Dispatch>(&message)) {
      begin(std::move(*dispatch));
    } else if (auto found = by_key_.find(std::get<engine::AttemptKey>(message));
               found != by_key_.end()) {
      Command& command = *commands_.at(found->second);
      command.aborted = true;
      stop(command);
    }
  }
  if (closing) stop_all();
}

void ExecRunner::begin(engine::Dispatch dispatch) {
  const engine::AttemptKey key = dispatch.key;
  if (commands_.size() >= kMaxCommands) {
    return sink_(failed(key, "more than " + std::to_string(kMaxCommands) + " commands run"));
  }
  Result<std::string> program = encode_program(dispatch, options_.data_folder);
  if (!program.ok()) {
    const Error& error = program.error();
    return sink_(refused(key, (error.field.empty() ? "" : error.field + ": ") + error.message));
  }
  Result<SpawnedProcess> process = host_.spawn(*program);
  if (!process.ok()) return sink_(failed(key, process.error().message));
  auto command = std::make_unique<Command>();
  command->id = next_id_++;
  command->dispatch = std::move(dispatch);
  command->process = std::move(*process);
  command->feed();
  // Closing the command's descriptors makes its supervisor kill it.
  if (!watch(*command)) return sink_(failed(key, "no memory to watch a process"));
  by_key_[key] = command->id;
  commands_[command->id] = std::move(command);
}

bool ExecRunner::watch(const Command& command) {
  const SpawnedProcess& process = command.process;
  const auto add = [&](const UniqueFd& fd, std::uint32_t what, Channel channel) {
    if (!fd.ok()) return true;
    epoll_event event{.events = what, .data = {.u64 = command.id * kChannels + channel}};
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
  };
  return add(process.input, EPOLLOUT, kInput) && add(process.output, EPOLLIN, kOutput) &&
         add(process.control, EPOLLIN, kControl);
}

void ExecRunner::stop(Command& command) {
  const auto grace = std::chrono::duration_cast<std::chrono::milliseconds>(options_.kill_grace);
  const StopCommand message{static_cast<std::int32_t>(grace.count())};
  send(command.process.control.get(), &message, sizeof message, MSG_NOSIGNAL);
}

void ExecRunner::stop_all() {
  if (stopping_) return;
  stopping_ = true;
  for (auto& [id, command] : commands_) stop(*command);
}

void ExecRunner::on_event(std::uint64_t tag) {
  if (tag == kInboxTag) return take_messages();
  const auto found = commands_.find(tag / kChannels);
  if (found == commands_.end()) return;
  Command& command = *found->second;
  switch (tag % kChannels) {
    case kInput:
      return command.feed();
    case kOutput:
      return command.drain(kReadsPerEvent);
    default:
      return on_control(command);
  }
}

void ExecRunner::on_control(Command& command) {
  SupervisorReport report;
  const ssize_t size = recv(command.process.control.get(), &report, sizeof report, 0);
  if (size == sizeof report) {
    if (!command.report) command.report = report;
    return;
  }
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  finish(command);
}

void ExecRunner::finish(Command& command) {
  command.drain(kReadsAtEnd);
  engine::AttemptResult result = command.result(stopping_);
  by_key_.erase(result.key);
  commands_.erase(command.id);
  sink_(std::move(result));
}

}  // namespace escapement::targets
