import BackstitchSupport
import Foundation
import Hummingbird

/// Keeps content in a folder of this machine.
struct FolderContentStore: AssetContentStore {
    private let folder: AssetFolder
    private let runner: any WorkRunner
    private let sweeps = DailySweep()

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

    /// Where nobody else writes to the folder, the storage has looked when it was opened.
    func beginsSweep(at time: Int64) -> Bool { folder.isShared && sweeps.begins(at: time) }

    /// Files that are younger than a day may be on their way still.
    func sweep(at time: Int64, _ body: ([AssetName]) async throws -> Void) async throws {
        do {
            let limit = Date(timeIntervalSince1970: Double(time - DailySweep.day) / 1000)
            try await body(
                try await runner.run { [folder] in
                    try folder.removeDrafts(olderThan: limit)
                    return try folder.names(olderThan: limit)
                })
        } catch {
            sweeps.breakOff()
            throw error
        }
    }
}
