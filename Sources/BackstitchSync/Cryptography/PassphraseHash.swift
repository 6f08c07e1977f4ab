import Foundation

#if Encryption
import Crypto
import CryptoExtras
#endif

/// Bytes made from a passphrase, at a price for each try.
enum PassphraseHash {
    /// Computes scrypt (RFC 7914), with r = 8 and p = 1. Blocks.
    ///
    /// - Parameter rounds: scrypt's N, a power of two.
    /// - Parameter count: The number of bytes to make.
    static func scrypt(_ passphrase: [UInt8], salt: [UInt8], rounds: Int, count: Int) throws -> Data {
        #if Encryption
        let derived = try KDF.Scrypt.deriveKey(
            from: passphrase, salt: salt, outputByteCount: count, rounds: rounds, blockSize: 8, parallelism: 1)
        return derived.withUnsafeBytes { Data($0) }
        #else
        throw MissingEncryption.error
        #endif
    }
}
