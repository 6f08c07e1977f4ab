import CPowerCut
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Disk {
    /// The disk that the C library's functions, and SQLite, report to. It is set once, before any other work.
    nonisolated(unsafe) private(set) static var mounted: Disk?

    /// Makes this the disk of the files below its folder.
    func mount() throws {
        Self.mounted = self
        var calls = power_cut_disk()
        calls.opened = { path, makes, empties in
            Disk.answer { disk throws(NoPower) in
                try disk.open(Disk.text(path), makes: makes != 0, empties: empties != 0)
            } ?? -EIO
        }
        calls.wrote = { handle, bytes, count, offset in
            Disk.error { disk throws(NoPower) in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
                try disk.write(handle, Array(bytes), at: Int(offset))
            }
        }
        calls.resized = { handle, size in
            Disk.error { disk throws(NoPower) in try disk.resize(handle, to: Int(size)) }
        }
        calls.synced = { handle in Disk.error { disk throws(NoPower) in try disk.sync(handle) } }
        calls.renamed = { path, other in
            Disk.error { disk throws(NoPower) in try disk.rename(Disk.text(path), to: Disk.text(other)) }
        }
        calls.removed = { path in Disk.error { disk throws(NoPower) in try disk.remove(Disk.text(path)) } }
        calls.made_folder = { path in Disk.error { disk throws(NoPower) in try disk.makeFolder(Disk.text(path)) } }
        calls.synced_folder_of = { path in
            Disk.error { disk throws(NoPower) in try disk.syncFolder(above: Disk.text(path)) }
        }
        let result = power_cut_install(folder, &calls)
        guard result == 0 else { throw CocoaError(.featureUnsupported) }
    }

    private static func answer<Result>(_ body: (Disk) throws(NoPower) -> Result) -> Result? {
        guard let disk = mounted else { return nil }
        do { return try body(disk) } catch { return nil }
    }

    private static func error(_ body: (Disk) throws(NoPower) -> Void) -> Int32 { answer(body) == nil ? EIO : 0 }

    private static func text(_ path: UnsafePointer<CChar>?) -> String { path.map { String(cString: $0) } ?? "" }
}
