import Backstitch
import BackstitchSQL
import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle

/// Keeps a server in touch with the others of its storage. It tells them of changes and hears of theirs. It also looks
/// by itself from time to time, in case a message was not sent or not heard.
struct PeerListening: Service {
    /// Milliseconds for changes to gather before others are told.
    private static let gathering: Int64 = 30
    /// Milliseconds between attempts to connect. Each pause is twice the one before, up to the upper bound.
    private static let pauses: ClosedRange<Int64> = 200...30_000

    let service: ZoneService
    let peers: PeerServers

    private var configuration: ZoneServerConfiguration { service.context.configuration }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await lookRegularly() }
                if configuration.usesNotifications {
                    group.addTask { await listen() }
                    group.addTask { await tell() }
                }
                // If a database has no notifications, only the regular look goes on.
                await group.waitForAll()
            }
        }
    }

    private func lookRegularly() async {
        while !Task.isCancelled {
            do {
                try await service.context.clock.sleep(milliseconds: Int64(configuration.peerInterval * 1000))
            } catch { return }
            await look()
        }
    }

    private func look(_ users: Set<String>? = nil) async {
        do {
            try await service.accounts.lookForChanges(users)
            try await service.notifier.lookAtPeers(users)
        } catch {
            configuration.logger.error(
                "the check for changes of other servers failed, will be tried again: \(error)")
        }
    }

    private func tell() async {
        for await _ in peers.signals {
            peers.flush()
            do { try await service.context.clock.sleep(milliseconds: Self.gathering) } catch { return }
        }
    }

    private func listen() async {
        var pause = Self.pauses.lowerBound, isReported = false
        while !Task.isCancelled {
            do {
                let storage = service.context.storage
                guard let notifier = try await configuration.runner.run({ try storage.makeNotifier() }) else { return }
                pause = Self.pauses.lowerBound
                let isLater = isReported
                if isLater { configuration.logger.info("notifications of other servers arrive again") }
                isReported = false
                try await hear(notifier, isLater)
            } catch {
                if !isReported, !Task.isCancelled {
                    configuration.logger.warning(
                        "notifications of other servers do not arrive; until they do, their changes are checked for every \(configuration.peerInterval) s: \(error)"
                    )
                }
                isReported = true
            }
            do { try await service.context.clock.sleep(milliseconds: pause) } catch { return }
            pause = min(pause * 2, Self.pauses.upperBound)
        }
    }

    /// Listens to the other servers until the connection is lost or the task is cancelled.
    private func hear(_ notifier: any SQLNotifier, _ isLater: Bool) async throws {
        let heard = ReportedUsers()
        // At most one signal waits, since a look takes everything gathered so far.
        let (signals, continuation) = AsyncThrowingStream<Void, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let thread = Thread {
            do {
                try notifier.run { texts in
                    if heard.add(peers.users(in: texts)) { continuation.yield() }
                }
                continuation.finish()
            } catch { continuation.finish(throwing: error) }
        }
        thread.name = "backstitch peers"
        thread.start()
        peers.connect(notifier, isLater: isLater)
        service.context.metrics.peersHeard.set(1)
        defer {
            service.context.metrics.peersHeard.set(0)
            peers.disconnect()
            notifier.close()
        }
        // Finds changes from before the connection.
        await look()
        for try await _ in signals { await look(heard.take()) }
    }
}
