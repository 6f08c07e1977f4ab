import Backstitch

extension SyncController {
    /// The results of a look at the store, now and each time that they are others. A consumer that is slow gets the
    /// newest and misses those between. Ends when the store is closed.
    ///
    /// - Parameters:
    ///   - pause: Milliseconds between two looks at least.
    ///   - look: Is repeated whenever objects or zones may stand otherwise, and every two seconds while another process
    ///     syncs the store.
    func updates<Value: Sendable & Equatable>(
        pause: Int64 = 0, _ look: @escaping @Sendable () async throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { [services, driver] continuation in
            let standby = Task {
                // The other process writes what the server has taken, and nobody is told of that.
                while (try? await services.clock.sleep(milliseconds: 2_000)) != nil {
                    if driver.status.state == .standby { services.bell.ring() }
                }
            }
            let watch = Task {
                var last: Value?
                do {
                    for await _ in services.bell.rings() {
                        let value = try await look()
                        if value != last { continuation.yield(value) }
                        last = value
                        if pause > 0 { try await services.clock.sleep(milliseconds: pause) }
                    }
                    continuation.finish()
                } catch let error as BackstitchError where error.code == .storeClosed {
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            continuation.onTermination = { _ in
                watch.cancel()
                standby.cancel()
            }
        }
    }
}
