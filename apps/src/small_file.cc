#include "small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace escapement::apps {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

ErrorCode code_of(int number) {
  switch (number) {
    case ENOENT:
      return ErrorCode::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::denied;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::full;
    case EISDIR:
    case ENOTDIR:
      return ErrorCode::invalid;
    default:
      return ErrorCode::unavailable;
  }
}

bool write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace

Error system_error(const std::string& what, int number) {
  return Error{code_of(number), what + ": " + std::generic_category().message(number)};
}

Result<std::string> read_small_file(const std::string& path, std::size_t max_bytes) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return system_error("cannot read " + path, errno);
  std::string text;
  std::string buffer(std::min<std::size_t>(max_bytes + 1, 64 * 1024), '\0');
  while (text.size() <= max_bytes) {
    ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read " + path, errno);
    if (got == 0) return text;
    text.append(buffer, 0, static_cast<std::size_t>(got));
  }
  return invalid("", path + " is longer than " + std::to_string(max_bytes) + " bytes");
}

Status write_small_file(const std::string& path, const std::string& text, mode_t mode) {
  const std::string draft = path + ".new";
  ::unlink(draft.c_str());
  {
    File file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.get() < 0) return system_error("cannot write " + path, errno);
    if (!write_all(file.get(), text) || ::fsync(file.get()) != 0) {
      return system_error("cannot write " + path, errno);
    }
  }
  if (std::rename(draft.c_str(), path.c_str()) != 0) {
    return system_error("cannot write " + path, errno);
  }
  return {};
}

}  // namespace escapement::apps
