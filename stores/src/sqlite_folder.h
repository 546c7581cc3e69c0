// The data folder: made when missing, and owned by one server at a time.
//
// Ownership is an flock on `escapement.lock`: it belongs to the open file, so it ends with the
// process however that dies, and a stale file means nothing. The file holds the owner's pid for
// the message to whoever comes second. Movable value; any thread.
#pragma once

#include <string>
#include <utility>

#include "escapement/base/result.h"

namespace escapement::stores {

class FolderLock {
 public:
  // Makes the folder when missing and takes the lock. Errors: as of open_sqlite.
  static Result<FolderLock> acquire(const std::string& folder);

  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }

 private:
  explicit FolderLock(int file) : file_(file) {}

  int file_ = -1;
};

}  // namespace escapement::stores
