import Backstitch
import BackstitchSupport
import Logging

/// Gives a user the next token before the current one ends, as CloudKit does. Only a token made with a lifetime is
/// renewed: an answer in the second half of its life names the next token.
///
/// The new token is a keyed hash of the old token's text. So every server names the same new token in each answer to
/// the old one. The storage holds digests only, so a reader of the storage has no token text to begin with. The old
/// token is valid to its end unless the new one is used. So a lost answer locks no user out. From the first use of the
/// new token, the old one is valid for five more minutes, for requests under way.
///
/// A use of the old token after that means a copy exists, because the owner has the new token. The server cannot tell
/// the thief's token from the owner's. So all tokens of this chain are revoked, and the owner signs in again.
struct TokenRenewal: Sendable {
    /// Validity of an old token after the first use of the new one, in milliseconds.
    static let grace: Int64 = 5 * 60_000
    /// How long a replaced token is remembered, in milliseconds.
    static let memory: Int64 = 90 * 86_400_000

    private let storage: ZoneStorage
    private let users: UserDirectory
    private let identities: Identities
    private let signer: TokenSigner
    private let clock: any WallClock
    private let logger: Logger

    init(_ server: ServerContext, _ identities: Identities) {
        storage = server.storage
        users = server.users
        self.identities = identities
        signer = server.signer
        clock = server.clock
        logger = server.configuration.logger
    }

    /// The token to use in place of a valid one; nil before the time for renewal.
    ///
    /// If the storage takes no writes now, nothing is renewed and no request is refused. The next request tries again.
    func renewed(_ text: String, _ credential: StoredCredential) async throws -> String? {
        do {
            if !credential.replaces.isEmpty { try await retire(credential) }
            let now = clock.milliseconds()
            guard credential.lifetime > 0, credential.expires > 0, now >= credential.created + credential.lifetime / 2
            else { return nil }
            let next = Self.next(after: text, signer)
            if users.stored.isRenewed(credential.digest) { return next }
            return try await keep(next, after: credential, at: now) ? next : nil
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            logger.warning("a token could not be renewed, will be tried again: \(error)")
            return nil
        }
    }

    /// The successor of a token: 256 bits.
    static func next(after text: String, _ signer: TokenSigner) -> String {
        signer.token(of: signer.mark(.renewal, [Array(text.utf8)], count: TokenSigner.secretLength))
    }

    /// Stores the successor of a token.
    ///
    /// - Returns: false if the old token was revoked meanwhile.
    private func keep(_ text: String, after old: StoredCredential, at now: Int64) async throws -> Bool {
        var next = old
        next.digest = TokenDigest(presented: text)
        next.created = now
        next.expires = now + old.lifetime
        next.replaces = old.digest.bytes
        // A full disk must not end the tokens of devices. A token is small, and the old one is removed later.
        let isKept = try await storage.write(frees: true) { [next] writing in
            // The lock keeps the old token from being revoked between the two statements.
            try writing.lockIdentity()
            guard try writing.credential(old.digest) != nil else { return false }
            try writing.insert(next)
            return true
        }
        if isKept { users.stored.noteRenewal(of: old.digest) }
        return isKept
    }

    /// Ends the replaced token after the first use of the new one.
    private func retire(_ next: StoredCredential) async throws {
        let now = clock.milliseconds()
        try await identities.change(frees: true) { writing, effects in
            try writing.retire(replacedBy: next, at: now + Self.grace, until: now + Self.memory)
            effects.accounts.insert(ByteText(next.account))
        }
    }

    /// Revokes all tokens made in place of a refused token, if it had been replaced. If the storage cannot do so now,
    /// the next request with such a token tries again.
    func revokeSuccessors(of refused: TokenDigest) async throws(CancellationError) {
        guard users.stored.hasIdentities else { return }
        // A token that ended by itself within the last five minutes may still be in a request under way.
        let limit = clock.milliseconds() + Self.memory - Self.grace
        do {
            guard let id = try await storage.read({ try $0.replacedToken(refused, knownUntil: limit) }) else { return }
            let gone = try await identities.change(frees: true) { writing, effects in
                let gone = try writing.removeCredentials(.web, id: id)
                effects.accounts.formUnion(gone.map { ByteText($0.account) })
                return gone
            }
            guard !gone.isEmpty else { return }
            logger.warning(
                """
                token \(id) was used after it had been renewed, so a copy of it exists. The token and all tokens made \
                from it are revoked, and its user must sign in again
                """)
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.warning("the replacements of a token that was used again could not be revoked: \(error)")
        }
    }
}
