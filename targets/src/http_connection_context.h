// What all connections of an http client share. Knows Asio, unlike http_connection.h.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>

namespace escapement::targets {

namespace asio = boost::asio;

struct ConnectionContext {
  asio::io_context& io;
  asio::ssl::context& tls;
  bool allow_private_addresses = false;
};

}  // namespace escapement::targets
