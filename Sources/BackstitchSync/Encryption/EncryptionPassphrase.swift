import Backstitch
import BackstitchSupport
import Foundation

/// A key that is made of a passphrase by scrypt (RFC 7914): the passphrase, which the user remembers, is all that goes
/// from device to device.
///
/// ```swift
/// .syncEncryptionKeys: EncryptionPassphrase(passphrase, salt: "ann@example.org")
/// ```
/// All devices must be given the same passphrase, salt and cost. The salt need not be secret and must be the same
/// everywhere without asking anybody, also offline: so it is no random number that some device would have to make
/// first, but a name of the user, such as the address of the account. The key's name is made of the key: who has
/// mistyped the passphrase has a key of another name, and reads nothing, rather than having a wrong key of the right
/// name. Another passphrase is another key; ``EncryptionKeyChain`` lets it replace the old one.
///
/// An attacker with the values can try passphrases, as many as there is money for. Four random words resist, a word
/// does not.
public final class EncryptionPassphrase: EncryptionKeyProvider {
    /// The price of each try of a passphrase: 128 · 8 · `rounds` bytes of memory, and the time to fill them.
    public struct Cost: Sendable, Hashable {
        /// scrypt's N, a power of two; r is 8 and p is 1.
        public let rounds: Int

        /// 2^17 rounds: 128 MiB, some tenths of a second. OWASP's Password Storage Cheat Sheet names it for scrypt.
        public static let standard = Cost(rounds: 1 << 17)

        /// So many rounds: the next power of two, at least 2^14 (16 MiB) and at most 2^20 (1 GiB).
        public init(rounds: Int) {
            var power = 1 << 14
            while power < min(rounds, 1 << 20) { power *= 2 }
            self.rounds = power
        }
    }

    private let passphrase: [UInt8]
    private let salt: [UInt8]
    private let cost: Cost
    private let made = Locked<EncryptionKey?>(nil)
    private let workers = WorkerPool(name: "backstitch-scrypt", limit: 1)

    /// A passphrase; what looks alike in Unicode is the same (NFC).
    public init(_ passphrase: String, salt: String, cost: Cost = .standard) {
        self.passphrase = Array(passphrase.precomposedStringWithCanonicalMapping.utf8)
        self.salt = Array("Backstitch\u{0}\(salt.precomposedStringWithCanonicalMapping)".utf8)
        self.cost = cost
    }

    /// The key, made once, on a thread of its own.
    public func currentKey(inZone zone: String) async throws -> EncryptionKey {
        if let key = made.withLock({ $0 }) { return key }
        return try await workers.run { [self] in
            // Made while this waited for the thread.
            if let key = made.withLock({ $0 }) { return key }
            let bytes = try PassphraseHash.scrypt(passphrase, salt: salt, rounds: cost.rounds, count: 64)
            // The second half names the first, and tells nothing about it.
            let key = try EncryptionKey(
                id: "scrypt-\(Data(bytes.suffix(32)).prefix(8).hexadecimal)", bytes: bytes.prefix(32))
            made.withLock { $0 = key }
            return key
        }
    }

    /// The key, if it has that name.
    public func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        let key = try await currentKey(inZone: zone)
        return key.id == id ? key : nil
    }
}
