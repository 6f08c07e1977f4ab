import Backstitch

extension SyncController {
    /// Returns the results of reading the store, now and each time that they change. A slow consumer gets the newest
    /// and misses those between. The sequence ends when the store is closed.
    ///
    /// - Parameter pause: The least time between two reads, in milliseconds.
    /// - Parameter look: Reads the store. It is repeated whenever the sync state of objects or zones may have changed,
    ///   and every two seconds while another process syncs the store.
    func updates<Value: Sendable & Equatable>(
        pause: Int64 = 0, _ look: @escaping @Sendable () async throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { [services, driver] continuation in
            let standby = Task {
                // The other process writes the server's acknowledgements, and this process is not notified.
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
