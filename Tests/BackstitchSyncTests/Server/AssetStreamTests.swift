import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// A film is sent from a device to another through a server. Each is a process of its own, with measured memory.
@Suite("assets of any size") struct AssetStreamTests {
    /// Megabytes of the film.
    private static let size = Effort.size("ASSET_MB", usual: 96, whole: 256)
    /// The maximum growth of a process's memory, in bytes.
    private static let growth = 64 << 20

    @Test(
        "a film goes through in little memory, and goes on at nine tenths when the sender and the receiver are killed",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
    func film() async throws {
        try await Self.withFolder { folder in
            let film = folder.appending(path: "film")
            let checksum = try Self.write(film)
            let server = try await onThread {
                try ServerProcess(storage: folder.appending(path: "server"), ["--largest-asset", "4096"])
            }
            defer { server.process.kill() }
            let idle = try server.process.memory()

            let sent = folder.appending(path: "server/assets/partial")
            let sender = try await device("sender", in: folder, server)
            #expect(try await sender.process.ask("film \(film.path)") == "added \(checksum)")
            let (first, other) = try await Self.killed(sender, at: sent) {
                try await device("sender", in: folder, server)
            }
            try FileManager.default.removeItem(at: film)
            #expect(try await eventually { try await other.process.ask("status") == "status idle 0 0" })
            let sending = try max(first, other.process.memory() - other.idle)

            let come = folder.appending(path: "receiver/store.sqlite.sync-downloads")
            let receiver = try await device("receiver", in: folder, server)
            let (second, last) = try await Self.killed(receiver, at: come) {
                try await device("receiver", in: folder, server)
            }
            #expect(try await eventually { try await last.process.ask("films") == "films \(checksum)" })
            let receiving = try max(second, last.process.memory() - last.idle)
            let serving = try server.process.memory() - idle
            for process in [other.process, last.process] { process.kill() }

            print(
                "counted: a film of \(Self.size) MB, memory grew by \(sending >> 20) MB in the sender, \(serving >> 20) MB in "
                    + "the server, \(receiving >> 20) MB in the receiver")
            #expect([sending, serving, receiving].allSatisfy { $0 <= Self.growth })
        }
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-film-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// A device in a process of its own, and its memory before it has to do with the film.
    private struct Device {
        let process: TestProcess
        let idle: Int
    }

    private func device(_ name: String, in folder: URL, _ server: ServerProcess) async throws -> Device {
        let url = try #require(URL(string: server.url)), place = folder.appending(path: name).path
        let process = try await onThread {
            try TestProcess(place: place, server: url, options: ["syncMaximumAssetSize=\(4_096 << 20)"])
        }
        #expect(try await process.nextLine()?.hasPrefix("ready") == true)
        return Device(process: process, idle: try process.memory())
    }

    /// Kills a device when nine tenths of the film are in a folder, and begins another in its place. The second one
    /// continues with the present part, which never shrinks.
    ///
    /// - Returns: The memory growth of the killed process, and the new device.
    private static func killed(
        _ device: Device, at folder: URL, _ again: () async throws -> Device
    ) async throws -> (growth: Int, again: Device) {
        #expect(try await eventually { bytes(below: folder) >= size * 9 / 10 << 20 })
        let growth = try device.process.memory() - device.idle
        device.process.kill()
        let left = bytes(below: folder)
        #expect(left >= size * 9 / 10 << 20 && left < size << 20, "\(left) bytes")
        let next = try await again()
        let isOver = try await eventually {
            let now = bytes(below: folder)
            #expect(now == 0 || now >= left, "\(now) of \(left) bytes are left")
            return now == 0
        }
        #expect(isOver)
        return (growth, next)
    }

    /// Bytes of the files below a folder.
    private static func bytes(below folder: URL) -> Int {
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return names.reduce(0) { $0 + Int(FileCalls.size(of: folder.path + "/" + $1) ?? 0) }
    }

    /// Writes the film, with different megabytes, and returns its checksum.
    private static func write(_ film: URL) throws -> String {
        guard let file = try FileCalls.create(film.path) else { throw TestFailure("there is a film already") }
        defer { file.close() }
        var hash = SHA256()
        var piece = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
        for number in 0..<size {
            withUnsafeBytes(of: number) { piece.replaceSubrange(0..<8, with: $0) }
            hash.update(data: piece)
            try file.write(piece)
        }
        return AssetChecksum(hash.finalize()).wire
    }
}
