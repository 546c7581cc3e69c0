#include "sqlite_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace escapement::stores {

namespace {

constexpr mode_t kFolderMode = 0700;
constexpr mode_t kLockMode = 0600;

Error folder_error(const std::string& folder, const std::string& what, int error_number) {
  bool wrong_path = error_number == ENOENT || error_number == ENOTDIR || error_number == EEXIST;
  return {wrong_path ? ErrorCode::invalid : ErrorCode::unavailable,
          "data folder " + folder + ": " + what + ": " + std::strerror(error_number) +
              "; name a folder that this user may write to and whose parent exists",
          wrong_path ? "folder" : ""};
}

// A new folder is durable once its parent is on the disk.
void sync_parent(const std::string& folder) {
  std::filesystem::path parent = std::filesystem::absolute(folder).parent_path();
  int file = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

Status make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), kFolderMode) == 0) {
    sync_parent(folder);
    return {};
  }
  int error_number = errno;
  struct stat found{};
  if (error_number != EEXIST || ::stat(folder.c_str(), &found) != 0) {
    return folder_error(folder, "cannot be made", error_number);
  }
  if (!S_ISDIR(found.st_mode)) return folder_error(folder, "is not a folder", ENOTDIR);
  return {};
}

std::string holder_of(int file) {
  char text[32] = {};
  ssize_t size = ::pread(file, text, sizeof text - 1, 0);
  return size > 0 ? "process " + std::string(text, static_cast<std::size_t>(size))
                  : "another process";
}

void write_holder(int file) {
  std::string pid = std::to_string(::getpid());
  // Only the message of a refusal reads it, so a failure here changes nothing.
  if (::ftruncate(file, 0) == 0 && ::pwrite(file, pid.data(), pid.size(), 0) < 0) return;
}

}  // namespace

Result<FolderLock> FolderLock::acquire(const std::string& folder) {
  if (Status made = make_folder(folder); !made.ok()) return made.error();
  std::string path = folder + "/escapement.lock";
  int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kLockMode);
  if (file < 0) return folder_error(folder, "cannot be written", errno);
  FolderLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::conflict,
                 "data folder " + folder + " is in use by " + holder_of(file) +
                     "; stop that server or use another folder",
                 "folder"};
  }
  write_holder(file);
  return lock;
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace escapement::stores
