#if TLS
import Backstitch
import BackstitchSupport
import CloudWire
import Foundation
import JWTKit
import Logging

/// Signs users in by ID tokens of OpenID Connect providers (OpenID Connect Core 1.0 §3.1.3.7).
///
/// A token is accepted once, at all servers of a storage and across restarts. So a copy of a token, from a log or from
/// the network, is useless. Its digest is kept for as long as the token is valid. If an answer is lost, the program
/// asks its provider for another token.
struct SignIn: Sendable {
    /// Most bytes of a request.
    static let largestRequest = 2 * IDToken.largest
    /// Most bytes of a nonce.
    static let largestNonce = 1_024

    /// A token with valid claims. Its signature is still to be verified.
    struct Pending: Sendable {
        let token: IDToken
        let provider: SignInProvider
    }

    private struct Known: Sendable {
        let provider: SignInProvider
        let keys: ProviderKeys
    }

    private let providers: [ByteText: Known]
    private let storage: ZoneStorage
    private let clock: any WallClock
    private let logger: Logger
    private let lifetime: Int

    init(_ configuration: ZoneServerConfiguration, storage: ZoneStorage) {
        let clock = configuration.clock, logger = configuration.logger
        self.clock = clock
        self.logger = logger
        self.storage = storage
        lifetime = configuration.signInLifetime
        let known = configuration.signInProviders.map { provider in
            (
                ByteText(provider.issuer),
                Known(provider: provider, keys: ProviderKeys(provider, clock: clock, logger: logger))
            )
        }
        providers = Dictionary(known) { first, _ in first }
    }

    /// Reads a request, and checks everything that needs no key.
    ///
    /// - Throws: ``IDTokenFault``; BAD_REQUEST for a nonce that is too long.
    func open(_ request: SignInRequest) throws -> Pending {
        guard request.nonce.map({ $0.utf8.count <= Self.largestNonce }) ?? true else {
            throw WireError(.badRequest, "nonce has more than \(Self.largestNonce) bytes")
        }
        let token = try IDToken(request.idToken)
        guard let known = providers[ByteText(token.claims.issuer)] else {
            throw IDTokenFault("is of an issuer (iss) that is not a provider of this server")
        }
        guard known.provider.algorithms.contains(token.header.algorithm) else {
            throw IDTokenFault("has the alg \(token.header.algorithm.rawValue), which is not accepted from its issuer")
        }
        try token.claims.check(for: known.provider, nonce: request.nonce, at: clock.milliseconds())
        return Pending(token: token, provider: known.provider)
    }

    /// The verifiers of the token's key. May wait for the provider.
    ///
    /// - Throws: ``IDTokenFault`` for an unknown key; TRY_AGAIN_LATER while no keys are available.
    func verifiers(for pending: Pending) async throws -> [any JWTAlgorithm] {
        guard let keys = providers[ByteText(pending.provider.issuer)]?.keys else { return [] }
        let found: [any JWTAlgorithm]
        do throws(ProviderFault) { found = try await keys.verifiers(for: pending.token.header) } catch {
            throw error.wireError(pending.provider.issuer)
        }
        guard !found.isEmpty else { throw IDTokenFault("names a key (kid) that its issuer does not have") }
        return found
    }

    /// Verifies the signature, and gives the user a token of this server.
    ///
    /// - Throws: ``IDTokenFault`` for an invalid signature, and for a token accepted before; errors of the accounts.
    func finish(
        _ pending: Pending, _ verifiers: [any JWTAlgorithm], in accounts: any SignInAccounts
    ) async throws -> SignInAnswer {
        let token = pending.token
        // A signature of the wrong length is an error there. Here it is only invalid.
        guard verifiers.contains(where: { (try? $0.verify(token.signature, signs: token.signed)) == true }) else {
            throw IDTokenFault("has a signature that is not its issuer's")
        }
        // The digest is of the signed text, since some signatures have several forms.
        let digest = TokenDigest(bytes: SHA256.hash(data: token.signed))
        let end = token.claims.end
        guard try await storage.write({ try $0.spendSignInToken(digest, until: end) }) else {
            throw IDTokenFault("was used before; a token signs in only once")
        }
        do {
            let claims = token.claims
            let account = try await accounts.signIn(
                issuer: claims.issuer, subject: claims.subject, emailAddress: claims.emailAddress,
                nameComponents: claims.nameComponents, lifetime: .seconds(lifetime))
            return SignInAnswer(ckWebAuthToken: account.webAuthToken, userRecordName: account.userRecordName)
        } catch {
            await giveBack(digest)
            throw error
        }
    }

    /// Lets a token be tried again if no user was signed in with it.
    private func giveBack(_ digest: TokenDigest) async {
        do { try await storage.write { try $0.restoreSignInToken(digest) } } catch {
            logger.warning("a sign-in has failed, and its token cannot be tried again: \(error)")
        }
    }
}
#endif
