#if TLS
import BackstitchSupport
import Foundation
import JWTKit

/// The public keys of a provider (RFC 7517), each for the algorithms by which it may have signed.
///
/// A key is bound to its algorithms when the set is read: a token chooses one of them, and cannot have a key taken for
/// something else.
struct ProviderKeySet: Sendable {
    /// Keys that are read. Providers have two to five.
    static let most = 64

    private struct Entry: Sendable {
        let keyID: String?
        let algorithm: SignInProvider.Algorithm
        /// Which key of the document it is.
        let number: Int
        let verifier: any JWTAlgorithm
    }

    private let entries: [Entry]

    /// Reads a document. Keys that are not for signatures, or of a kind that is not known here, are passed over, as the
    /// standard wants.
    ///
    /// - Throws: ``ProviderFault`` for a document that is no set of keys, or has none that can be used.
    init(_ json: Data, for provider: SignInProvider) async throws(ProviderFault) {
        guard let document = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any],
            let keys = document["keys"] as? [[String: Any]]
        else { throw ProviderFault("its keys are no JSON document with \"keys\"") }
        var entries: [Entry] = []
        for (number, key) in keys.prefix(Self.most).enumerated() {
            let text = key.compactMapValues { $0 as? String }
            for algorithm in Self.algorithms(of: text) where provider.algorithms.contains(algorithm) {
                guard let verifier = await Self.verifier(text, algorithm) else { continue }
                entries.append(Entry(keyID: text["kid"], algorithm: algorithm, number: number, verifier: verifier))
            }
        }
        guard !entries.isEmpty else { throw ProviderFault("it has no key for an algorithm that is taken here") }
        self.entries = entries
    }

    /// The verifiers of a key.
    ///
    /// - Parameter keyID: Nil takes the only key that there is for the algorithm.
    /// - Returns: more than one for keys of the same name; none when the key is not known.
    func verifiers(_ keyID: String?, _ algorithm: SignInProvider.Algorithm) -> [any JWTAlgorithm] {
        let suitable = entries.filter { $0.algorithm == algorithm }
        if let keyID { return suitable.filter { $0.keyID == keyID }.prefix(4).map(\.verifier) }
        return Set(suitable.map(\.number)).count == 1 ? suitable.map(\.verifier) : []
    }

    /// The algorithms that a key is for.
    private static func algorithms(of key: [String: String]) -> [SignInProvider.Algorithm] {
        guard key["use"] ?? "sig" == "sig" else { return [] }
        let suitable: [SignInProvider.Algorithm]
        switch (key["kty"], key["crv"]) {
        case ("RSA", _):
            // 2048 bits at least (RFC 7518 §3.3); beyond 8192 a signature takes too long to verify.
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

    /// - Returns: nil for a key that is none, such as a point that is not on its curve.
    private static func verifier(_ key: [String: String], _ algorithm: SignInProvider.Algorithm) async -> (
        any JWTAlgorithm
    )? {
        // Only the public parts, so that nothing else can be made of a key that a provider gives away by mistake.
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
