import Backstitch
import BackstitchSupport
import Logging

/// Gives a user another token before the one in use ends, as CloudKit does: with an answer, in the second half of the
/// life of a token that was made with a lifetime.
///
/// The new token is a keyed hash of the old one's text. So each answer to the old token, of whichever server, names the
/// same new one, and the storage has digests only: who reads it has no text of an old token to begin with. The old
/// token is good to its end while nobody has used the new one, so that a lost answer locks nobody out. From then on it
/// is good for five minutes, for requests that are on their way.
///
/// A token that comes after that has been copied: its owner has the new one. Whether the thief calls with the old one
/// and the owner with the new one, or the other way round, nobody can tell; so all that were made one in place of
/// another are taken back, and the owner signs in again.
struct TokenRenewal: Sendable {
    /// Milliseconds for which a token is good when another one was used in its place.
    static let grace: Int64 = 5 * 60_000
    /// Milliseconds for which it is known that a token was replaced.
    static let memory: Int64 = 90 * 86_400_000

    private let storage: any ZoneStorage
    private let users: UserDirectory
    private let identities: Identities
    private let signer: TokenSigner
    private let clock: any WallClock
    private let logger: Logger

    init(_ service: ZoneService) {
        storage = service.storage
        users = service.users
        identities = service.identities
        signer = service.signer
        clock = service.clock
        logger = service.configuration.logger
    }

    /// The token that is to be used instead of one that is honoured; nil when it is not time for that.
    ///
    /// A storage that takes no writes now renews nothing, and refuses nobody: the next request tries again.
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

    /// The token that comes after one: 256 bits.
    static func next(after text: String, _ signer: TokenSigner) -> String {
        signer.token(of: signer.mark(.renewal, [Array(text.utf8)], count: TokenSigner.secretLength))
    }

    /// - Returns: false for a token that was taken back meanwhile.
    private func keep(_ text: String, after old: StoredCredential, at now: Int64) async throws -> Bool {
        var next = old
        next.digest = TokenDigest(presented: text)
        next.created = now
        next.expires = now + old.lifetime
        next.replaces = old.digest.bytes
        let isKept = try await storage.write { [next] writing in
            // Nobody takes the old one back between the two statements.
            try writing.lockIdentity()
            guard try writing.credential(old.digest) != nil else { return false }
            try writing.insert(next)
            return true
        }
        if isKept { users.stored.noteRenewal(of: old.digest) }
        return isKept
    }

    /// Ends the token in whose place this one was made, now that it has arrived.
    private func retire(_ next: StoredCredential) async throws {
        let now = clock.milliseconds()
        try await identities.change { writing, effects in
            try writing.retire(replacedBy: next, at: now + Self.grace, until: now + Self.memory)
            effects.accounts.insert(ByteText(next.account))
        }
    }

    /// Takes back the tokens that were made in the place of one that is not honoured, where it had been replaced. When
    /// the storage cannot do that now, the next request with such a token tries again.
    func revokeSuccessors(of refused: TokenDigest) async throws(CancellationError) {
        guard users.stored.hasIdentities else { return }
        // One that ended by itself within the five minutes may still be on its way.
        let limit = clock.milliseconds() + Self.memory - Self.grace
        do {
            guard let id = try await storage.read({ try $0.replacedToken(refused, knownUntil: limit) }) else { return }
            let gone = try await identities.change { writing, effects in
                let gone = try writing.removeCredentials(.web, id: id)
                effects.accounts.formUnion(gone.map { ByteText($0.account) })
                return gone
            }
            guard !gone.isEmpty else { return }
            logger.warning(
                """
                token \(id) was used after it had been renewed, so there is a copy of it: it and all that were made \
                from it are taken back, and its user must sign in again
                """)
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.warning("tokens made in place of one that was used again could not be taken back: \(error)")
        }
    }
}
