import Backstitch
import BackstitchSupport
import CloudWire
import Logging

extension AccountOperations {
    /// The accounts, tokens, keys and containers of the storage. This server honours a change at once. Other servers of
    /// the storage honour it after the notification, or after their next look.
    var identities: Identities {
        Identities(
            storage: server.storage, clock: server.clock, random: server.random, isConfigured: server.users.isConfigured
        ) { [server] effects in
            do { try await server.users.stored.refresh(at: server.clock.milliseconds()) } catch {
                // The change is committed, and must take effect at once. So everything is read again.
                server.users.stored.forget()
                server.configuration.logger.warning(
                    "changes of accounts could not be read, will be tried again: \(error)")
            }
            // A poll ended here checks whether its bearer is still honoured.
            server.push.hub.close(effects.pushTokens)
            let names = effects.accounts.map(\.string).filter { !$0.isEmpty }
            server.push.peers?.tell(Set(names).union([PeerMessage.identities]))
        }
    }

    /// Looks for changes of accounts, tokens and keys by other servers. Push tokens removed with them are found by
    /// ``Notifier/lookAtPeers(_:)``.
    ///
    /// - Parameter users: The users named by others; nil for a look at all.
    func lookForChanges(_ users: Set<String>? = nil) async throws {
        guard users?.contains(PeerMessage.identities) ?? true else { return }
        try await server.users.stored.refresh(at: server.clock.milliseconds())
    }

    /// The accounts for the sign-in of providers' users.
    var signInAccounts: any SignInAccounts { server.configuration.signInAccounts ?? identities }
}
