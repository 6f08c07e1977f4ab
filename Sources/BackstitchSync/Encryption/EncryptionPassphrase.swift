import Backstitch
import BackstitchSupport
import Foundation

/// A key made from a passphrase by scrypt (RFC 7914). The user remembers the passphrase. Nothing else is brought from
/// device to device.
///
/// ```swift
/// .syncEncryptionKeys: EncryptionPassphrase(passphrase, salt: "ann@example.org")
/// ```
/// All devices need the same passphrase, salt and cost. The salt need not be secret, but must be the same on all
/// devices without any request, also offline. So it is not a random number made by the first device, but a name of the
/// user, such as the address of the account.
///
/// The key's name is made from the key. A mistyped passphrase gives a key with another name, and this key opens
/// nothing. So there is never a wrong key with the right name. Another passphrase is another key;
/// ``EncryptionKeyList`` lets it replace the old one.
///
/// An attacker with the values can try as many passphrases as there is money for. Four random words resist this; one
/// word does not.
public final class EncryptionPassphrase: EncryptionKeyProvider {
    /// The price of each try of a passphrase: 128 · 8 · `rounds` bytes of memory, and the time to fill them.
    public struct Cost: Sendable, Hashable {
        /// scrypt's N, a power of two; r is 8 and p is 1.
        public let rounds: Int

        /// 2^17 rounds: 128 MiB, some tenths of a second. OWASP's Password Storage Cheat Sheet names this value for
        /// scrypt.
        public static let standard = Cost(rounds: 1 << 17)

        /// Rounds the number up to the next power of two, at least 2^14 (16 MiB) and at most 2^20 (1 GiB).
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

    /// A provider with one passphrase. Equivalent Unicode forms of the text are treated as the same (NFC).
    public init(_ passphrase: String, salt: String, cost: Cost = .standard) {
        self.passphrase = Array(passphrase.precomposedStringWithCanonicalMapping.utf8)
        self.salt = Array("Backstitch\u{0}\(salt.precomposedStringWithCanonicalMapping)".utf8)
        self.cost = cost
    }

    /// The key, made once, on a separate thread.
    public func currentKey(inZone zone: String) async throws -> EncryptionKey {
        if let key = made.withLock({ $0 }) { return key }
        return try await workers.run { [self] in
            // The key was made while this call waited for the thread.
            if let key = made.withLock({ $0 }) { return key }
            let bytes = try PassphraseHash.scrypt(passphrase, salt: salt, rounds: cost.rounds, count: 64)
            // The second half names the key, and reveals nothing about the first half.
            let key = try EncryptionKey(
                id: "scrypt-\(Data(bytes.suffix(32)).prefix(8).hexadecimal)", bytes: bytes.prefix(32))
            made.withLock { $0 = key }
            return key
        }
    }

    /// The key, if it has this name.
    public func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        let key = try await currentKey(inZone: zone)
        return key.id == id ? key : nil
    }
}
