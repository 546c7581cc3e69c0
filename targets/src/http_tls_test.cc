#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>

#include "escapement/targets/router.h"
#include "test_server.h"
#include "test_sink.h"

namespace escapement::targets {
namespace {

using domain::AttemptState;
using domain::HttpTarget;

// A key and a certificate that it signs itself, for one subject alternative name.
class Identity {
 public:
  explicit Identity(const char* name)
      : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")), certificate_(X509_new()) {
    X509_set_version(certificate_, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), 3600);
    X509_NAME* subject = X509_get_subject_name(certificate_);
    const auto* text = reinterpret_cast<const unsigned char*>("escapement test");
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(certificate_, subject);
    X509_set_pubkey(certificate_, key_);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name);
    X509_add_ext(certificate_, extension, -1);
    X509_EXTENSION_free(extension);
    X509_sign(certificate_, key_, EVP_sha256());
    std::FILE* file = fdopen(mkstemp(path_), "w");
    PEM_write_X509(file, certificate_);
    std::fclose(file);
  }
  ~Identity() {
    std::remove(path_);
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;

  std::string path() const { return path_; }

  // One request over TLS; the server name that the client asked for, if the handshake succeeded.
  std::string serve(TestPeer& peer) const {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(context, certificate_);
    SSL_CTX_use_PrivateKey(context, key_);
    SSL* tls = SSL_new(context);
    SSL_set_fd(tls, peer.socket());
    std::string name = "failed";
    if (SSL_accept(tls) == 1) {
      const char* asked = SSL_get_servername(tls, TLSEXT_NAMETYPE_host_name);
      name = asked != nullptr ? asked : "";
      char request[4096];
      if (SSL_read(tls, request, sizeof request) > 0) {
        constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";
        SSL_write(tls, kAnswer.data(), static_cast<int>(kAnswer.size()));
      }
      SSL_shutdown(tls);
    }
    SSL_free(tls);
    SSL_CTX_free(context);
    return name;
  }

 private:
  EVP_PKEY* key_;
  X509* certificate_;
  char path_[32] = "/tmp/escapement-cert-XXXXXX";
};

// What an attempt at https://`host` makes of a server with this identity.
struct Outcome {
  engine::AttemptResult result;
  std::string server_name;
};
Outcome attempt(const Identity& identity, const std::string& host, const std::string& ca_file) {
  Outcome outcome;
  TestSink sink;
  TestServer server([&](TestPeer& peer) {
    const std::string name = identity.serve(peer);
    if (name != "failed") outcome.server_name = name;
  });
  const auto clock = make_system_clock();
  Targets targets({.allow_private_addresses = true, .ca_file = ca_file}, *clock, sink.sink());
  const auto dispatch = make_dispatch(HttpTarget{.url = "https://" + host + ":" + server.port()});
  targets.start(dispatch);
  outcome.result = sink.wait(dispatch);
  targets.shutdown();
  server.stop();
  return outcome;
}

TEST(HttpTls, TrustedCertificateOfTheHostIsTaken) {
  const Identity by_name("DNS:localhost");
  const Outcome named = attempt(by_name, "localhost", by_name.path());
  EXPECT_EQ(named.result.state, AttemptState::succeeded) << named.result.error;
  EXPECT_EQ(named.result.output, "secret");
  EXPECT_EQ(named.server_name, "localhost");
  const Identity by_address("IP:127.0.0.1");
  const Outcome literal = attempt(by_address, "127.0.0.1", by_address.path());
  EXPECT_EQ(literal.result.output, "secret") << literal.result.error;
  EXPECT_EQ(literal.server_name, "");
}

TEST(HttpTls, UnknownIssuerAndOtherHostAreRefused) {
  const Identity identity("DNS:localhost");
  const Outcome unknown = attempt(identity, "localhost", "");
  EXPECT_EQ(unknown.result.state, AttemptState::failed);
  EXPECT_TRUE(unknown.result.error.starts_with("TLS https://localhost")) << unknown.result.error;
  EXPECT_NE(unknown.result.error.find("certificate verify failed"), std::string::npos);
  const Outcome other = attempt(identity, "127.0.0.1", identity.path());
  EXPECT_EQ(other.result.state, AttemptState::failed);
  EXPECT_NE(other.result.error.find("certificate verify failed"), std::string::npos);
}

TEST(HttpTls, UnreadableCertificatesAreNamed) {
  const Identity identity("DNS:localhost");
  const Outcome outcome = attempt(identity, "localhost", "/no/such/file.pem");
  EXPECT_FALSE(outcome.result.retryable);
  EXPECT_TRUE(outcome.result.error.starts_with("cannot read certificates of /no/such/file.pem"));
}

}  // namespace
}  // namespace escapement::targets
