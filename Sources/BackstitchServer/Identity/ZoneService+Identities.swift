import Backstitch
import BackstitchSupport
import Logging

extension ZoneService {
    /// The accounts, tokens, keys and containers of the storage. This server honours a change at once. Other servers of
    /// the storage honour it after the notification, or after their next look.
    var identities: Identities {
        Identities(storage: storage, clock: clock, random: random, isConfigured: users.isConfigured) {
            [users, hub, peers, clock, configuration] effects in
            do { try await users.stored.refresh(at: clock.milliseconds()) } catch {
                // The change is committed, and must take effect at once. So everything is read again.
                users.stored.forget()
                configuration.logger.warning("changes of accounts could not be read, will be tried again: \(error)")
            }
            // A poll ended here checks whether its bearer is still honoured.
            hub.close(effects.pushTokens)
            let names = effects.accounts.map(\.string).filter { !$0.isEmpty }
            peers?.tell(Set(names).union([PeerMessage.identities]))
        }
    }
}
