import BackstitchSupport
import Foundation
import Hummingbird
import NIOCore

/// A content store in a folder of this machine.
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

    /// Reads a range piece by piece. The file is closed between pieces, because slow clients would use up the file
    /// descriptors.
    func body(of name: AssetName, _ range: ClosedRange<Int64>) async throws -> ResponseBody? {
        let file = folder.file(name)
        let size = try await runner.run { FileCalls.size(of: file.path) }
        guard let size, range.upperBound < size else { return nil }
        return ResponseBody(contentLength: range.count) { [runner] writer in
            var offset = range.lowerBound
            while offset <= range.upperBound {
                let data = try await FilePieces.read(
                    file, offset..<min(offset + FilePieces.piece, range.upperBound + 1), runner)
                try await writer.write(ByteBuffer(bytes: data))
                offset += Int64(data.count)
            }
            try await writer.finish(nil)
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

    /// Only a shared folder needs a search. The folder of a single server is searched when its storage is opened.
    func beginsSweep(at time: Int64) -> Bool { folder.isShared && sweeps.begins(at: time) }

    /// Removes old drafts, and reports files older than a day. A younger file may belong to an upload in progress.
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
