import BackstitchSupport
import BackstitchTestKit
import Foundation

/// A disk of 24 MB for servers, which fills up: a file system in memory. A process holds it, so servers come and go.
package final class SmallDisk: Sendable {
    /// The options of `unshare` and of `nsenter` with which a file system can be mounted here: as root, or as a user
    /// with a namespace of its own. Nil if neither is allowed.
    private static let means: (unshare: [String], nsenter: [String])? = {
        let all = [(["-m"], ["-m"]), (["-rm"], ["-U", "-m", "--preserve-credentials"])]
        return all.first { options, _ in
            let probe = try? TestProcess(
                at: unshare, options + ["/bin/mount", "-t", "tmpfs", "tests", "/mnt"], errors: .discarded)
            return probe?.finish().status == 0
        }
    }()

    private static let unshare = URL(filePath: "/usr/bin/unshare")

    /// Whether this machine lets the tests have such a disk.
    package static var isAllowed: Bool { means != nil }

    private let holder: TestProcess
    private let nsenter: [String]
    private let folder: URL

    /// Runs `body` with a disk.
    package static func run(_ body: (SmallDisk) async throws -> Void) async throws {
        guard let means else { throw TestFailure("no file system can be mounted here") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The shell becomes `cat`, so no process holds the disk after it was killed.
        let script = "mount -t tmpfs -o size=24m tests '\(folder.path)' && echo mounted && exec cat"
        let holder = try TestProcess(at: unshare, means.unshare + ["/bin/sh", "-c", script])
        defer { holder.kill() }
        guard try await holder.nextLine() == "mounted" else { throw TestFailure("the disk was not mounted") }
        try await body(SmallDisk(holder, means.nsenter, folder))
    }

    private init(_ holder: TestProcess, _ nsenter: [String], _ folder: URL) {
        self.holder = holder
        self.nsenter = nsenter
        self.folder = folder
    }

    /// The path of a place on the disk. The holder sees another file system there than this process does.
    private func path(_ name: String) -> String { "/proc/\(holder.identifier)/root\(folder.path)/\(name)" }

    /// Writes a file that leaves a number of bytes free.
    package func fill(_ name: String, leaving rest: Int64 = 0) throws {
        guard let file = try FileCalls.create(path(name)) else { throw TestFailure("\(name) is there already") }
        defer { file.close() }
        let piece = Data(repeating: 1, count: 4096)
        while try free() > rest {
            do { try file.write(piece) } catch let error as SystemError where error.isFull { return }
        }
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    package func free() throws -> Int64 { try FileCalls.freeSpace(at: path("")) }

    /// The bytes of a file; 0 if there is none.
    package func size(of name: String) -> Int64 { FileCalls.size(of: path(name)) ?? 0 }

    /// Starts a server with its storage in the folder `zones` of the disk, and returns it with its address.
    package func serve() async throws -> (process: TestProcess, url: String) {
        let process = try TestProcess(
            at: URL(filePath: "/usr/bin/nsenter"),
            ["-t", "\(holder.identifier)"] + nsenter + [
                TestProgram.location(of: "backstitch").path, "serve", "--port", "0", "--log-level", "critical",
                "--any-container", "--until-input-ends", "--storage", folder.appending(path: "zones").path,
            ])
        let line = try await process.nextLine() ?? "nothing, and has ended"
        guard let url = line.split(separator: " ").last(where: { $0.hasPrefix("http://") }) else {
            throw TestFailure("the server says \(line)")
        }
        return (process, String(url))
    }
}
