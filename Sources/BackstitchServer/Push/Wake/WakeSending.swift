import Backstitch
import BackstitchSupport
import Logging
import ServiceLifecycle

/// Sends pushes as they arrive, many at a time, and again if this helps. When the server stops, it sends the ready
/// ones, and leaves the others.
struct WakeSending: Service {
    /// Most pushes sent at the same time.
    private static let atOnce = 64
    /// Most attempts to send one push.
    static let attempts = 6
    /// Milliseconds before another attempt. Each pause is twice the one before, up to the upper bound.
    private static let pauses: ClosedRange<Int64> = 1_000...60_000

    let service: ZoneService
    let wake: Wake

    private var clock: any WallClock { service.context.clock }

    func run() async throws {
        let configuration = wake.configuration, clock = service.context.clock
        let client = try await service.context.configuration.runner.run { try APNsClient(configuration, clock: clock) }
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await release() }
                await sendAll(client)
                group.cancelAll()
            }
        } onGracefulShutdown: {
            wake.queue.end()
        }
        try await client.close()
    }

    private func sendAll(_ client: APNsClient) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await _ in wake.queue.signals {
                while let item = wake.queue.take() {
                    if running == Self.atOnce {
                        await group.next()
                        running -= 1
                    }
                    group.addTask { await send(item, client) }
                    running += 1
                }
            }
        }
    }

    /// Makes pushes ready again when their time has come.
    private func release() async {
        for await _ in wake.queue.waits {
            while let next = wake.queue.release(at: clock.uptime()) {
                do { try await clock.sleep(untilUptime: min(next, clock.uptime() + 1_000)) } catch { return }
            }
        }
    }

    private func send(_ item: WakeQueue.Item, _ client: APNsClient) async {
        let answer: APNsAnswer
        do { answer = try await client.send(item.push) } catch is CancellationError { return } catch {
            answer = .refused(reason: "\(error)")
        }
        switch answer {
        case .accepted: wake.metrics.note(.accepted)
        case .unregistered(let time): await forget(item.push, since: time)
        case .expiredToken: again(item, "ExpiredProviderToken; is the server's clock right?", after: nil)
        case .again(let reason, let time): again(item, reason, after: time)
        case .refused(let reason):
            wake.metrics.note(.refused)
            wake.report("APNs refuses a push", ["reason": "\(reason)", "topic": "\(item.push.topic)"])
        }
    }

    private func again(_ item: WakeQueue.Item, _ reason: String, after time: Int64?) {
        var item = item
        item.attempts += 1
        guard item.attempts < Self.attempts else {
            wake.metrics.note(.dropped)
            wake.report("a push was given up", ["reason": "\(reason)", "attempts": "\(item.attempts)"])
            return
        }
        wake.metrics.note(.repeated)
        wake.report("APNs does not take a push now, it will be sent again", ["reason": "\(reason)"])
        let longest = min(Self.pauses.lowerBound << Int64(item.attempts), Self.pauses.upperBound)
        // The pause is partly random, so pushes are not all repeated at the same moment.
        let pause = longest / 2 + service.context.random.identifier() % (longest / 2)
        item.due = clock.uptime() + max(pause, time ?? 0)
        wake.queue.putBack(item)
    }

    /// Forgets a device without the app, unless it has registered again after APNs noticed that.
    private func forget(_ push: WakePush, since time: Int64?) async {
        wake.metrics.note(.unregistered)
        do {
            _ = try await service.context.storage.write { writing in
                try writing.removeWakeDevice(
                    tenantID: push.device.tenantID, push.device.token, registeredUpTo: time ?? push.created)
            }
        } catch {
            // The next push to it gets the same answer.
            service.context.configuration.logger.warning("a device could not be forgotten: \(error)")
        }
    }
}
