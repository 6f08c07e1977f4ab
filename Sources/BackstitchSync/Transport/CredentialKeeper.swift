import Backstitch
import BackstitchSupport
import Foundation
import Logging

/// The tokens in use, and where the one that the server rotates is kept.
final class CredentialKeeper: Sendable {
    /// A change of what the store keeps.
    private struct Keeping {
        /// Nil keeps none.
        var credential: SyncCredential?
    }

    private struct State {
        var credentials: SyncCredentials
        /// Names the program's own token that is in use, or that it descends from.
        var origin: String
        /// Whether the token in use was given by the server.
        var isRotated = false
        /// The last tokens that others were given in place of, which are not to be used again: a kept token may be one
        /// of them where the newer one could not be kept.
        var former: [String] = []
        /// Requests since the last answer.
        var unanswered = 0
        /// When the kept token was looked at last.
        var looked: ContinuousClock.Instant
        /// How often the program has given other tokens, and for which of them it is known whose they are.
        var replacements = 0, checked = 0
        /// The change that the store has not been given yet.
        var due: Keeping?
    }

    /// A server honours a token for some minutes when another process has used the next one; ours for five, and takes
    /// one that comes later for stolen.
    private static let longestIdle = Duration.seconds(60)

    private let store: (any SyncCredentialStore)?
    private let scope: String
    private let state: Locked<State>
    /// Threads on which the store may block.
    private let workers: WorkerPool
    // Held while the store is given a credential.
    private let keeping = NSLock()

    private let now: @Sendable () -> ContinuousClock.Instant

    /// The tokens of the options, or those that were kept in their place. Blocks while the store is asked.
    ///
    /// - Parameter workers: Where the store is asked from then on, except by ``replace(_:)``.
    init(
        _ options: SyncOptions, workers: WorkerPool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.workers, self.now) = (workers, now)
        store = options.credentialStore
        scope = "\(options.serverURL.absoluteString) \(options.container) \(options.environment)"
        let origin = Self.origin(of: options.credentials.webAuthToken, scope)
        state = Locked(State(credentials: options.credentials, origin: origin, looked: now()))
        // A program that gives no token wants the last one; a program that gives another one wants that.
        readKept()
    }

    var credentials: SyncCredentials { state.withLock { $0.credentials } }

    /// Tokens of the program, in place of all earlier ones. Blocks until the kept one is forgotten: a program may end
    /// right after a user has signed out.
    func replace(_ credentials: SyncCredentials) {
        let origin = Self.origin(of: credentials.webAuthToken, scope)
        state.withLock { state in
            let (replacements, checked) = (state.replacements + 1, state.checked)
            state = State(credentials: credentials, origin: origin, looked: now())
            (state.replacements, state.checked) = (replacements, checked)
            // The program's own tokens are the program's to keep.
            state.due = Keeping(credential: nil)
        }
        keepDue()
    }

    /// Names the tokens of the program that are in use.
    var replacement: Int { state.withLock { $0.replacements } }

    /// It is known whose the tokens of that name are.
    func noteAccount(of replacement: Int) { state.withLock { $0.checked = max($0.checked, replacement) } }

    /// Whether it is known, as far as sync needs to, whose the tokens in use are.
    var isAccountKnown: Bool { state.withLock { $0.checked == $0.replacements } }

    /// A token that the server has given in place of the one that it was asked with. It is in use at once; on return
    /// the store has it. A text that no request could have in its place is none, whatever has put it there.
    ///
    /// - Parameter replacement: The name of the program's tokens that the request had: where there are others by now,
    ///   the new one may be a former user's.
    func rotate(to token: String, inPlaceOf replacement: Int) async {
        let isNew = state.withLock { state in
            guard state.replacements == replacement, state.credentials.webAuthToken != token,
                SyncCredentials.isSendable(token)
            else { return false }
            if let former = state.credentials.webAuthToken { state.former = (state.former + [former]).suffix(32) }
            state.credentials.webAuthToken = token
            state.isRotated = true
            state.due = Keeping(credential: SyncCredential(webAuthToken: token, origin: state.origin))
            return true
        }
        if isNew, store != nil { await onWorker { $0.keepDue() } }
    }

    /// The tokens for a request that is made now. After a time without any the kept token is looked at first.
    func credentialsForRequest() async -> SyncCredentials {
        let now = now()
        let isIdle = state.withLock { state in
            defer { state.looked = max(state.looked, now) }
            return state.looked.duration(to: now) >= Self.longestIdle
        }
        if isIdle { _ = await takeKept() }
        return credentials
    }

    /// Takes the kept token where it is another one than that in use: another process, which synced the store before,
    /// has had it.
    ///
    /// - Returns: whether there was one.
    func takeKept() async -> Bool {
        guard store != nil else { return false }
        return await onWorker { $0.readKept() }
    }

    @discardableResult
    private func readKept() -> Bool {
        let before = replacement
        let kept: SyncCredential?
        do { kept = try store?.credential() } catch {
            warn("the kept credential cannot be read", error)
            return false
        }
        guard let kept else { return false }
        return state.withLock { state in
            // A user may have signed out while that user's token was read.
            guard state.replacements == before else { return false }
            let isOwn = kept.origin == state.origin || state.credentials.webAuthToken == nil && isOfScope(kept)
            guard isOwn, kept.webAuthToken != state.credentials.webAuthToken,
                !state.former.contains(kept.webAuthToken), SyncCredentials.isSendable(kept.webAuthToken)
            else { return false }
            state.credentials.webAuthToken = kept.webAuthToken
            state.origin = kept.origin
            state.isRotated = true
            return true
        }
    }

    func noteAnswer() { state.withLock { $0.unanswered = 0 } }
    func noteLoss() { state.withLock { $0.unanswered += 1 } }

    /// Explains a refusal where the server gives newer tokens; nil where it has given none.
    var lossExplanation: String? {
        state.withLock { state in
            guard state.isRotated else { return nil }
            let lost = state.unanswered == 0 ? "one may have been" : "\(state.unanswered) were"
            return "the server gives new tokens with its answers, of which \(lost) lost: sign in again"
        }
    }

    /// Gives the store what is due, if anything is. Of several threads that do so one comes after the other, so that
    /// the store is left with the newest, whichever of them is first.
    private func keepDue() {
        guard let store else { return }
        keeping.withLock {
            let due = state.withLock { state in
                defer { state.due = nil }
                return state.due
            }
            guard let due else { return }
            do { try store.keep(due.credential) } catch {
                warn("the credential cannot be kept; the user must sign in again when the program has ended", error)
            }
        }
    }

    /// Runs `work`, which blocks, on no thread of the tasks.
    private func onWorker<Result: Sendable>(
        _ work: @escaping @Sendable (CredentialKeeper) -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            workers.submit { continuation.resume(returning: work(self)) }
        }
    }

    private func warn(_ text: String, _ error: any Error) {
        Logger(label: "backstitch.sync").warning("\(text)", metadata: ["error": "\(error)"])
    }

    private func isOfScope(_ kept: SyncCredential) -> Bool { kept.origin.hasPrefix(Self.digest(of: scope)) }

    private static func origin(of token: String?, _ scope: String) -> String {
        "\(digest(of: scope))-\(token.map { digest(of: "\(scope) \($0)") } ?? "")"
    }

    private static func digest(of text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).prefix(16).hexadecimal
    }
}
