#include "key_locks.h"

namespace escapement::engine {

void KeyLocks::lock(const std::string& app, std::vector<std::string> keys, Work work) {
  for (const std::string& key : keys) {
    auto taken = waiting_.find({app, key});
    if (taken == waiting_.end()) continue;
    taken->second.push_back(
        [this, app, keys = std::move(keys), work = std::move(work)] { lock(app, keys, work); });
    return;
  }
  for (const std::string& key : keys) waiting_[{app, key}];
  work();
}

void KeyLocks::unlock(const std::string& app, const std::vector<std::string>& keys) {
  std::vector<Work> next;
  for (const std::string& key : keys) {
    auto taken = waiting_.find({app, key});
    for (Work& work : taken->second) next.push_back(std::move(work));
    waiting_.erase(taken);
  }
  for (Work& work : next) work();
}

}  // namespace escapement::engine
