#if TLS
import Backstitch
import JWTKit
import Logging

/// Keeps the keys of a provider, and asks for them anew when their time is over or a token names one that is not among
/// them.
///
/// One request for the keys is under way at a time, and all who need it wait for it. Names of unknown keys, which
/// anybody can make up, make one a minute. A provider that does not answer is asked every five seconds at most;
/// meanwhile the keys that were read last go on, for a day.
actor ProviderKeys {
    /// Milliseconds between requests for the sake of unknown keys.
    static let unknownKeyPause: Int64 = 60_000
    /// Milliseconds after a failure until the next attempt.
    static let failurePause: Int64 = 5_000
    /// Milliseconds for which old keys go on while the provider does not answer.
    static let oldKeysLife: Int64 = 86_400_000

    /// Keys, and the uptimes at which they were asked for and until which they are fresh.
    private struct Kept {
        var keys: ProviderKeySet
        var read: Int64
        var fresh: Int64
    }

    private struct Failure {
        var fault: ProviderFault
        var time: Int64
    }

    private let provider: SignInProvider
    private let clock: any WallClock
    private let logger: Logger
    private let fetch: @Sendable () async throws(ProviderFault) -> (ProviderKeySet, DocumentLife)
    private var kept: Kept?
    private var failure: Failure?
    private var running: Task<Void, Never>?

    init(_ provider: SignInProvider, clock: any WallClock, logger: Logger) {
        self.provider = provider
        self.clock = clock
        self.logger = logger
        let documents = ProviderDocuments(provider: provider)
        fetch = { () async throws(ProviderFault) in try await documents.keys() }
    }

    /// The verifiers for a token's header; none for a key that the provider does not have.
    ///
    /// - Throws: ``ProviderFault`` when there are no keys, and none can be had.
    func verifiers(for header: IDToken.Header) async throws(ProviderFault) -> [any JWTAlgorithm] {
        if clock.uptime() >= kept?.fresh ?? .min { await refresh() }
        var keys = try current()
        let found = keys.verifiers(header.keyID, header.algorithm)
        if !found.isEmpty { return found }
        if let kept, clock.uptime() < kept.read + Self.unknownKeyPause { return [] }
        await refresh()
        keys = try current()
        return keys.verifiers(header.keyID, header.algorithm)
    }

    /// The keys that were read last, unless the provider has been silent for too long.
    private func current() throws(ProviderFault) -> ProviderKeySet {
        if let kept, clock.uptime() < kept.fresh + Self.oldKeysLife { return kept.keys }
        throw failure?.fault ?? ProviderFault("they were not read yet")
    }

    /// Asks for the keys, or waits for the answer that somebody else waits for. Does nothing shortly after a failure.
    private func refresh() async {
        if let running { return await running.value }
        if let failure, clock.uptime() < failure.time + Self.failurePause { return }
        // Of nobody's task: who hangs up does not take the answer from the others.
        let task = Task { await self.read() }
        running = task
        await task.value
    }

    private func read() async {
        let begun = clock.uptime()
        do throws(ProviderFault) {
            let (keys, life) = try await fetch()
            if failure != nil { logger.info("the keys of a sign-in provider are had again", metadata: metadata()) }
            kept = Kept(keys: keys, read: begun, fresh: clock.uptime() + life.seconds * 1_000)
            failure = nil
        } catch {
            logger.warning(
                "the keys of a sign-in provider cannot be had: \(error.reason)",
                metadata: metadata(["old": "\(kept != nil)"]))
            failure = Failure(fault: error, time: clock.uptime())
        }
        running = nil
    }

    private func metadata(_ more: Logger.Metadata = [:]) -> Logger.Metadata {
        ["issuer": "\(provider.issuer)"].merging(more) { $1 }
    }
}
#endif
