import Backstitch
import BackstitchSupport

/// The keys of a zone, as far as they were requested from the provider. Steps in the store look up keys here, and never
/// wait. If a key was not requested yet, the step throws ``UnaskedKey``. It starts again after the provider has
/// answered.
final class EncryptionKeyRing: Sendable {
    /// The answer to a look-up of a key.
    enum Answer {
        case key(EncryptionKey)
        case missing(reason: String)
        case unasked
    }

    private struct State: Sendable {
        var known: [String: EncryptionKey] = [:]
        /// The reasons for missing keys, by their names.
        var missing: [String: String] = [:]
        var current: Result<EncryptionKey, EncryptionKeyFault>?
        /// The names of keys that failed to open a value.
        var misfits: Set<String> = []
        var replaced: Set<String> = []
    }

    private let provider: any EncryptionKeyProvider
    private let zone: String
    private let state = Locked(State())

    init(_ provider: any EncryptionKeyProvider, zone: String) { (self.provider, self.zone) = (provider, zone) }

    /// The same provider's keys for another zone.
    func serving(zone: String) -> EncryptionKeyRing { EncryptionKeyRing(provider, zone: zone) }

    subscript(id: String) -> Answer {
        state.withLock { state in
            if let key = state.known[id] { return .key(key) }
            return state.missing[id].map { .missing(reason: $0) } ?? .unasked
        }
    }

    /// The key for encrypting values; nil if it was not requested yet.
    var current: Result<EncryptionKey, EncryptionKeyFault>? { state.withLock { $0.current } }

    /// The names of the keys replaced by the current one.
    var replaced: Set<String> { state.withLock { $0.replaced } }

    /// Requests the current key from the provider.
    func askForCurrent() async {
        do {
            let key = try await provider.currentKey(inZone: zone)
            let replaced = try await provider.replacedKeyIDs(inZone: zone)
            state.withLock { state in
                state.current = .success(key)
                state.known[key.id] = key
                state.missing[key.id] = nil
                state.replaced = replaced.subtracting([key.id])
            }
        } catch {
            state.withLock { $0.current = .failure(EncryptionKeyFault("there is no key to encrypt with", error)) }
        }
    }

    /// Requests a key by its name.
    func ask(for id: String) async {
        do {
            let key = try await provider.key(withID: id, inZone: zone)
            state.withLock { state in
                if let key, key.id == id {
                    state.known[id] = key
                } else {
                    state.missing[id] = "the provider does not have it"
                }
            }
        } catch {
            let fault = EncryptionKeyFault("the provider could not give it", error)
            state.withLock { $0.missing[id] = fault.reason }
        }
    }

    /// Notes that a key did not open a value with its name.
    func noteMisfit(_ id: String) { state.withLock { _ = $0.misfits.insert(id) } }

    /// Forgets missing and failed keys, so that the provider is asked for them again.
    func forgetFailures() {
        state.withLock { state in
            state.missing = [:]
            for id in state.misfits { state.known[id] = nil }
            state.misfits = []
        }
    }
}
