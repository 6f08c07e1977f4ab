#if TLS
import BackstitchSupport
import Foundation
import JWTKit

/// The public keys of a provider (RFC 7517), each with its possible algorithms.
///
/// A key is bound to its algorithms when the set is read. A token can choose one of them, but cannot use the key for
/// anything else.
struct ProviderKeySet: Sendable {
    /// Most keys read from a document. Providers have two to five.
    static let most = 64

    private struct Entry: Sendable {
        let keyID: String?
        let algorithm: SignInProvider.Algorithm
        /// The position of the key in the document.
        let number: Int
        let verifier: any JWTAlgorithm
    }

    private let entries: [Entry]

    /// Reads a document. Keys of an unknown kind, or for another purpose than signatures, are skipped, as the standard
    /// requires.
    ///
    /// - Throws: ``ProviderFault`` for a document that is no set of keys, or without a usable key.
    init(_ json: Data, for provider: SignInProvider) async throws(ProviderFault) {
        guard let document = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any],
            let keys = document["keys"] as? [[String: Any]]
        else { throw ProviderFault("its keys are not a JSON document with \"keys\"") }
        var entries: [Entry] = []
        for (number, key) in keys.prefix(Self.most).enumerated() {
            let text = key.compactMapValues { $0 as? String }
            for algorithm in Self.algorithms(of: text) where provider.algorithms.contains(algorithm) {
                guard let verifier = await Self.verifier(text, algorithm) else { continue }
                entries.append(Entry(keyID: text["kid"], algorithm: algorithm, number: number, verifier: verifier))
            }
        }
        guard !entries.isEmpty else { throw ProviderFault("it has no key for an algorithm that is accepted here") }
        self.entries = entries
    }

    /// The verifiers of a key for an algorithm.
    ///
    /// - Parameter keyID: Nil takes the only key for the algorithm.
    /// - Returns: more than one for keys of the same name; none for an unknown key.
    func verifiers(_ keyID: String?, _ algorithm: SignInProvider.Algorithm) -> [any JWTAlgorithm] {
        let suitable = entries.filter { $0.algorithm == algorithm }
        if let keyID { return suitable.filter { $0.keyID == keyID }.prefix(4).map(\.verifier) }
        return Set(suitable.map(\.number)).count == 1 ? suitable.map(\.verifier) : []
    }

    /// The possible algorithms of a key.
    private static func algorithms(of key: [String: String]) -> [SignInProvider.Algorithm] {
        guard key["use"] ?? "sig" == "sig" else { return [] }
        let suitable: [SignInProvider.Algorithm]
        switch (key["kty"], key["crv"]) {
        case ("RSA", _):
            // At least 2048 bits (RFC 7518 §3.3). Beyond 8192 bits a signature takes too long to verify.
            guard let modulus = key["n"].flatMap({ [UInt8](base64URL: $0) })?.drop(while: { $0 == 0 }),
                (256...1_024).contains(modulus.count), let exponent = key["e"], exponent.utf8.count <= 8
            else { return [] }
            suitable = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case ("EC", "P-256"): suitable = [.es256]
        case ("EC", "P-384"): suitable = [.es384]
        case ("EC", "P-521"): suitable = [.es512]
        case ("OKP", "Ed25519"): suitable = [.eddsa]
        default: return []
        }
        return key["alg"].map { named in suitable.filter { $0.rawValue == named } } ?? suitable
    }

    /// The verifier of a key for an algorithm.
    ///
    /// - Returns: nil for an invalid key, such as a point outside its curve.
    private static func verifier(_ key: [String: String], _ algorithm: SignInProvider.Algorithm) async -> (
        any JWTAlgorithm
    )? {
        // Only the public parts are used. So a private key published by mistake cannot be used for anything else.
        var parts = key.filter { ["kty", "crv", "n", "e", "x", "y"].contains($0.key) }
        parts["alg"] = algorithm.rawValue
        parts["kid"] = "key"
        do {
            let json = try JSONSerialization.data(withJSONObject: parts)
            let jwk = try JWK(json: String(decoding: json, as: UTF8.self))
            return try await JWTKeyCollection().add(jwk: jwk).getKey(for: "key", alg: algorithm.rawValue)
        } catch {
            return nil
        }
    }
}
#endif
