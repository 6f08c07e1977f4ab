import CoreMetrics
import Hummingbird

/// A measured place of assets' content. It may be another machine, with failures of its own.
struct MeasuredContentStore: AssetContentStore {
    private let store: any AssetContentStore
    private let metrics: ContentMetrics

    init(_ store: any AssetContentStore, _ metrics: ContentMetrics) {
        self.store = store
        self.metrics = metrics
    }

    func place(of name: AssetName) -> String { store.place(of: name) }

    func adopt(_ received: ReceivedFile, as name: AssetName) async throws {
        try await metrics.put.measure { try await store.adopt(received, as: name) }
    }

    func has(_ name: AssetName) async throws -> Bool { try await metrics.look.measure { try await store.has(name) } }

    /// Counts a failure during the sending of the bytes too, but not the disconnection of a client.
    func body(of name: AssetName, _ range: ClosedRange<Int64>) async throws -> ResponseBody? {
        let body = try await metrics.get.measure { try await store.body(of: name, range) }
        guard let body else { return nil }
        return ResponseBody(contentLength: body.contentLength) { [metrics] writer in
            do { try await body.write(writer) } catch let failure as AssetStoreFailure {
                metrics.get.noteFailure()
                throw failure
            }
        }
    }

    func remove(_ names: [AssetName]) async throws {
        try await metrics.remove.measure { try await store.remove(names) }
    }

    func beginsSweep(at time: Int64) -> Bool { store.beginsSweep(at: time) }

    func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws {
        try await store.sweep(at: time, body)
    }
}
