import BackstitchSupport
import Foundation
import Hummingbird

/// Keeps content in a folder of this machine.
struct FolderContentStore: AssetContentStore {
    private let folder: AssetFolder
    private let runner: any WorkRunner

    init(_ folder: AssetFolder, runner: any WorkRunner) {
        self.folder = folder
        self.runner = runner
    }

    func place(of name: AssetName) -> String { folder.file(name).path }

    func adopt(_ received: ReceivedFile, as name: AssetName) async throws {
        try await runner.run { [folder] in try folder.adopt(received.file, as: name) }
    }

    func has(_ name: AssetName) async throws -> Bool { try await runner.run { [folder] in folder.has(name) } }

    func body(
        of name: AssetName, _ range: ClosedRange<Int64>, _ context: ZoneRequestContext
    ) async throws -> ResponseBody? {
        do {
            return try await runner.content(
                of: folder.file(name).path, Int(range.lowerBound)...Int(range.upperBound), context)
        } catch let error as HTTPError where error.status == .notFound {
            return nil
        }
    }

    func remove(_ names: [AssetName]) async throws {
        try await runner.run { [folder] in
            var first: (any Error)?
            for name in names {
                do { try folder.remove(name) } catch { first = first ?? error }
            }
            if let first { throw first }
        }
    }

    /// The storage has looked when it was opened: nobody else writes to the folder.
    func beginsSweep(at time: Int64) -> Bool { false }

    func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws {}
}
