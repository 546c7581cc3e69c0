"""What the tests with real processes share: server, client, receiver, ledger, load and checks."""
