import Backstitch
import BackstitchSQL
import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle

/// Keeps a server in touch with the others of its storage: tells them of changes, hears of theirs, and looks by itself
/// from time to time, for what nobody has said or heard.
struct NeighbourListening: Service {
    /// Milliseconds in which changes gather before others are told.
    private static let gathering: Int64 = 30
    /// Milliseconds between attempts to connect: each twice the one before, up to the last.
    private static let pauses: ClosedRange<Int64> = 200...30_000

    let service: ZoneService
    let neighbours: Neighbours

    private var configuration: ZoneServerConfiguration { service.configuration }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await lookRegularly() }
                if configuration.usesNotifications {
                    group.addTask { await listen() }
                    group.addTask { await tell() }
                }
                // Where a database has no notifications the look goes on alone.
                await group.waitForAll()
            }
        }
    }

    private func lookRegularly() async {
        while !Task.isCancelled {
            do {
                try await service.clock.sleep(milliseconds: Int64(configuration.neighbourInterval * 1000))
            } catch { return }
            await look()
        }
    }

    private func look(_ users: Set<String>? = nil) async {
        do {
            try await service.lookForIdentities(users)
            try await service.lookAtNeighbours(users)
        } catch {
            configuration.logger.error(
                "changes of other servers could not be looked for, will be tried again: \(error)")
        }
    }

    private func tell() async {
        for await _ in neighbours.signals {
            neighbours.flush()
            do { try await service.clock.sleep(milliseconds: Self.gathering) } catch { return }
        }
    }

    private func listen() async {
        var pause = Self.pauses.lowerBound, isReported = false
        while !Task.isCancelled {
            do {
                let storage = service.storage
                guard let notifier = try await configuration.runner.run({ try storage.makeNotifier() }) else { return }
                pause = Self.pauses.lowerBound
                let isLater = isReported
                if isLater { configuration.logger.info("other servers are heard again") }
                isReported = false
                try await hear(notifier, isLater)
            } catch {
                if !isReported, !Task.isCancelled {
                    configuration.logger.warning(
                        "other servers are not heard, and changes of theirs are looked for every \(configuration.neighbourInterval) s until they are: \(error)"
                    )
                }
                isReported = true
            }
            do { try await service.clock.sleep(milliseconds: pause) } catch { return }
            pause = min(pause * 2, Self.pauses.upperBound)
        }
    }

    /// Hears until the connection is lost or the task is cancelled.
    private func hear(_ notifier: any SQLNotifier, _ isLater: Bool) async throws {
        let heard = HeardUsers()
        // One signal waits at most: a look takes all that has gathered.
        let (signals, continuation) = AsyncThrowingStream<Void, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let thread = Thread {
            do {
                try notifier.run { texts in
                    if heard.add(neighbours.users(in: texts)) { continuation.yield() }
                }
                continuation.finish()
            } catch { continuation.finish(throwing: error) }
        }
        thread.name = "backstitch neighbours"
        thread.start()
        neighbours.connect(notifier, isLater: isLater)
        service.metrics.neighboursHeard.set(1)
        defer {
            service.metrics.neighboursHeard.set(0)
            neighbours.disconnect()
            notifier.close()
        }
        // Changes from before are looked for.
        await look()
        for try await _ in signals { await look(heard.take()) }
    }
}
