import Backstitch
import BackstitchSupport
import Foundation
import Logging

/// The present tokens, and the store of the renewed token.
final class CredentialKeeper: Sendable {
    /// A change for the credential store.
    private struct Keeping {
        /// The credential to store; nil removes the stored one.
        var credential: SyncCredential?
    }

    private struct State {
        var credentials: SyncCredentials
        /// Identifies the program's own token: the one in use, or the one that the renewed token descends from.
        var origin: String
        /// Whether the server issued the token in use.
        var isRotated = false
        /// The last replaced tokens, which are not used again. The stored token may be one of them if the newer one
        /// could not be stored.
        var former: [String] = []
        /// The number of requests since the last answer.
        var unanswered = 0
        /// The time of the last read of the stored token.
        var looked: ContinuousClock.Instant
        /// The number of times that the program has set tokens, and the last of these numbers with a known user.
        var replacements = 0, checked = 0
        /// The change that the credential store has not received yet.
        var due: Keeping?
    }

    /// The idle time before the stored token is read again. A server accepts a replaced token for some minutes after
    /// another process has used the next one. This project's server does so for five minutes, and treats a later use as
    /// theft.
    private static let longestIdle = Duration.seconds(60)

    private let store: (any SyncCredentialStore)?
    private let scope: String
    private let state: Locked<State>
    /// The threads that the credential store may block.
    private let workers: WorkerPool
    // Held while the credential store receives a credential.
    private let keeping = NSLock()

    private let now: @Sendable () -> ContinuousClock.Instant

    /// Starts with the tokens of the options, or with the renewed ones in the store. It blocks while the store is read.
    ///
    /// - Parameter workers: The threads for later calls of the store, except those of ``replace(_:)``.
    init(
        _ options: SyncOptions, workers: WorkerPool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.workers, self.now) = (workers, now)
        store = options.credentialStore
        scope = "\(options.serverURL.absoluteString) \(options.container) \(options.environment)"
        let origin = Self.origin(of: options.credentials.webAuthToken, scope)
        state = Locked(State(credentials: options.credentials, origin: origin, looked: now()))
        // A program without a token wants the last one; a program with another token wants that one.
        readKept()
    }

    var credentials: SyncCredentials { state.withLock { $0.credentials } }

    /// Sets the program's tokens, in place of all earlier ones. It blocks until the stored one is removed: a program
    /// may end right after a user has signed out.
    func replace(_ credentials: SyncCredentials) {
        let origin = Self.origin(of: credentials.webAuthToken, scope)
        state.withLock { state in
            let (replacements, checked) = (state.replacements + 1, state.checked)
            state = State(credentials: credentials, origin: origin, looked: now())
            (state.replacements, state.checked) = (replacements, checked)
            // The program itself stores its own tokens.
            state.due = Keeping(credential: nil)
        }
        keepDue()
    }

    /// The number of the program's tokens in use.
    var replacement: Int { state.withLock { $0.replacements } }

    /// Records that the user of the tokens with this number is known.
    func noteAccount(of replacement: Int) { state.withLock { $0.checked = max($0.checked, replacement) } }

    /// Whether the user of the present tokens is known, as far as sync needs it.
    var isAccountKnown: Bool { state.withLock { $0.checked == $0.replacements } }

    /// Takes the server's new token in place of the one of the request. It is in use at once, and stored on return. A
    /// text that no request could carry is ignored, from any source.
    ///
    /// - Parameter replacement: The number of the program's tokens in the request. If the program has set others since,
    ///   the new token may be a former user's and is ignored.
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

    /// Returns the tokens for a request. After an idle time the stored token is read first.
    func credentialsForRequest() async -> SyncCredentials {
        let now = now()
        let isIdle = state.withLock { state in
            defer { state.looked = max(state.looked, now) }
            return state.looked.duration(to: now) >= Self.longestIdle
        }
        if isIdle { _ = await takeKept() }
        return credentials
    }

    /// Takes the stored token if it differs from the one in use: another process received it while it synced the store.
    ///
    /// - Returns: Whether there was one.
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
            // The user may have signed out while the token was being read.
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

    /// Explains a refusal by a server that renews tokens; nil if it has issued none.
    var lossExplanation: String? {
        state.withLock { state in
            guard state.isRotated else { return nil }
            let lost = state.unanswered == 0 ? "one may have been" : "\(state.unanswered) were"
            return "the server gives new tokens with its answers, and \(lost) lost: sign in again"
        }
    }

    /// Gives the due change to the credential store, if there is one. Several threads do it one after the other, so the
    /// store always ends with the newest.
    private func keepDue() {
        guard let store else { return }
        keeping.withLock {
            let due = state.withLock { state in
                defer { state.due = nil }
                return state.due
            }
            guard let due else { return }
            do { try store.keep(due.credential) } catch {
                warn(
                    "the credential cannot be stored; the user must sign in again when the program is restarted", error)
            }
        }
    }

    /// Runs blocking `work` outside the threads of the tasks.
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
