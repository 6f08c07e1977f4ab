import BackstitchServer
import CloudWire
import Foundation

/// Serves a folder, with assets of up to 300 MB, until its input ends. Prints where.
struct AssetServer {
    let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func run() async throws {
        let probe = try await ProbeServer(folder) { $0.standardLimits.asset = 300 << 20 }
        print(probe.base)
        fflush(nil)
        while readLine() != nil {}
        try await probe.server.stop()
    }
}
