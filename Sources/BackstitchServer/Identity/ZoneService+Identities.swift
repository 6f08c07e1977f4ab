import Backstitch
import BackstitchSupport
import Logging

extension ZoneService {
    /// The accounts, tokens, keys and containers of the storage. A change of them is honoured by this server at once,
    /// and by the others of the storage when they have heard of it or looked.
    var identities: Identities {
        Identities(storage: storage, clock: clock, random: random, isConfigured: users.isConfigured) {
            [users, hub, neighbours, clock, configuration] effects in
            do { try await users.stored.refresh(at: clock.milliseconds()) } catch {
                // The change is made, and is to be honoured at once all the same.
                users.stored.forget()
                configuration.logger.warning("changes of accounts could not be read, will be tried again: \(error)")
            }
            // Polls that end ask whether their user is known still.
            hub.close(effects.pushTokens)
            let names = effects.accounts.map(\.string).filter { !$0.isEmpty }
            neighbours?.tell(Set(names).union([NeighbourMessage.identities]))
        }
    }
}
