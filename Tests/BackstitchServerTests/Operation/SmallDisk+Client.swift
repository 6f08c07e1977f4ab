import TestSupport
import Testing

extension SmallDisk {
    /// Starts a server on the disk, with a client of it.
    func serveClient() async throws -> (process: TestProcess, client: TestClient) {
        let (process, url) = try await serve()
        return (process, TestClient(base: url))
    }

    /// Runs `body` with a server on the disk, and stops it.
    @discardableResult
    func serving<Value>(_ body: (TestClient) async throws -> Value) async throws -> Value {
        let (process, client) = try await serveClient()
        defer { if process.isRunning { process.kill() } }
        let value = try await body(client)
        #expect(process.stop() == 0)
        return value
    }
}
