import BackstitchSupport
import BackstitchTestKit
import CPowerCut
import Foundation

/// A disk that forgets unsynced writes when the power is cut: all of them, or some, in any order, torn at 512 bytes.
///
/// Real files contain everything written, so that every reader sees it. The disk notes the durable part of them. At the
/// cut it computes the content of the platter, and ``restore()`` puts that in the files' place. ``CPowerCut`` reports
/// to it: SQLite's files by a VFS, others by the C library's functions.
final class Disk: @unchecked Sendable {
    // Everything below is used under the lock.
    let lock = NSRecursiveLock()
    let folder: String
    var random: SeededGenerator
    private var files: [String: DiskFile] = [:]
    private var durable: [String: DiskFile] = [:]
    private var changes: [Change] = []
    private var handles: [Int32: DiskFile] = [:]
    private var lastHandle: Int32 = 0
    /// How many changes and syncs are left before the power is cut; nil for no cut.
    private var rest: Int?
    private(set) var isOff = false
    /// How many changes and syncs there were since the last restore.
    private(set) var count = 0

    private enum Change {
        case write(DiskFile, Int, [UInt8])
        case size(DiskFile, Int)
        case entry(folder: String, path: String, DiskFile?)
        case rename(from: String, to: String, DiskFile)
    }

    init(_ folder: URL, random: SeededGenerator) {
        self.folder = folder.path
        self.random = random
        (files[self.folder], durable[self.folder]) = (DiskFile.folder, DiskFile.folder)
    }

    /// Cuts the power after `count` changes and syncs.
    func cut(after count: Int?) {
        lock.withLock { rest = count }
    }

    /// Cuts the power now.
    func cutNow() {
        lock.withLock { isOff = true }
    }

    /// Counts an act; throws when there is no power for it.
    private func use() throws(NoPower) {
        if isOff { throw NoPower() }
        count += 1
        guard let left = rest else { return }
        rest = left - 1
        if left <= 0 { isOff = true }
    }

    struct NoPower: Error {}
}

/// The content of a file. A folder has none: its entries are the disk's.
final class DiskFile {
    let isFolder: Bool
    var now: [UInt8] = []
    var durable: [UInt8] = []

    init(isFolder: Bool = false) { self.isFolder = isFolder }

    static var folder: DiskFile { DiskFile(isFolder: true) }
}

extension [UInt8] {
    mutating func put(_ bytes: some Collection<UInt8>, at offset: Int) {
        if count < offset + bytes.count { append(contentsOf: repeatElement(0, count: offset + bytes.count - count)) }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    mutating func resize(_ size: Int) {
        if size < count { removeLast(count - size) } else { append(contentsOf: repeatElement(0, count: size - count)) }
    }
}

// The operations on files. Some of the latest changes may be on the disk, even the one at the power cut.
extension Disk {
    func open(_ path: String, makes: Bool, empties: Bool) throws(NoPower) -> Int32 {
        lock.lock()
        defer { lock.unlock() }
        var file = files[path]
        if file == nil, makes {
            let new = DiskFile()
            files[path] = new
            changes.append(.entry(folder: Self.parent(path), path: path, new))
            file = new
            try use()
        } else if let file, empties, !file.now.isEmpty {
            file.now = []
            changes.append(.size(file, 0))
            try use()
        }
        guard let file else { return 0 }
        if isOff { throw NoPower() }
        lastHandle += 1
        handles[lastHandle] = file
        return lastHandle
    }

    func write(_ handle: Int32, _ bytes: [UInt8], at offset: Int) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        if isOff { throw NoPower() }
        guard let file = handles[handle] else { return }
        file.now.put(bytes, at: offset)
        changes.append(.write(file, offset, bytes))
        try use()
    }

    func resize(_ handle: Int32, to size: Int) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        if isOff { throw NoPower() }
        guard let file = handles[handle] else { return }
        file.now.resize(size)
        changes.append(.size(file, size))
        try use()
    }

    func sync(_ handle: Int32) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        try use()
        if isOff { throw NoPower() }
        guard let file = handles[handle] else { return }
        if file.isFolder {
            for (path, known) in files where known === file { syncEntries(of: path) }
            return
        }
        file.durable = file.now
        changes.removeAll {
            switch $0 {
            case .write(let other, _, _), .size(let other, _): other === file
            case .entry, .rename: false
            }
        }
    }

    func syncFolder(above path: String) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        try use()
        if isOff { throw NoPower() }
        syncEntries(of: Self.parent(path))
    }

    private func syncEntries(of folder: String) {
        var left: [Change] = []
        for change in changes {
            switch change {
            case .entry(folder, let path, let file): durable[path] = file
            case .rename(let from, let to, let file) where Self.parent(to) == folder:
                durable[to] = file
                // That the old name is gone is for the other folder to keep.
                if Self.parent(from) == folder {
                    durable[from] = nil
                } else {
                    left.append(.entry(folder: Self.parent(from), path: from, nil))
                }
            case .rename(let from, let to, let file) where Self.parent(from) == folder:
                // A rename is one step of the file system's journal.
                (durable[from], durable[to]) = (nil, file)
            default: left.append(change)
            }
        }
        changes = left
    }

    func rename(_ path: String, to other: String) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        if isOff { throw NoPower() }
        guard let file = files.removeValue(forKey: path) else { return }
        files[other] = file
        changes.append(.rename(from: path, to: other, file))
        try use()
    }

    func remove(_ path: String) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        if isOff { throw NoPower() }
        guard files.removeValue(forKey: path) != nil else { return }
        changes.append(.entry(folder: Self.parent(path), path: path, nil))
        try use()
    }

    func makeFolder(_ path: String) throws(NoPower) {
        lock.lock()
        defer { lock.unlock() }
        if isOff { throw NoPower() }
        guard files[path] == nil else { return }
        let new = DiskFile.folder
        files[path] = new
        changes.append(.entry(folder: Self.parent(path), path: path, new))
        try use()
    }

    static func parent(_ path: String) -> String { (path as NSString).deletingLastPathComponent }
}

// The state after the cut.
extension Disk {
    /// The files, with their sizes and first bytes.
    var contents: String {
        lock.withLock {
            files.filter { !$1.isFolder && !$1.now.isEmpty }.sorted { $0.key < $1.key }.map { path, file in
                let start = file.now.prefix(16).map { String($0, radix: 16) }.joined(separator: " ")
                return "\(path.dropFirst(folder.count + 1)): \(file.now.count) bytes, \(start)"
            }.joined(separator: "; ")
        }
    }

    /// Puts the remains of the cut in the place of the files, and switches the power on. No file may be open.
    func restore() throws {
        lock.lock()
        defer { lock.unlock() }
        forget()
        // Files below a folder that is not there are not there either.
        files = durable.filter { path, _ in
            var path = path
            while path != folder {
                path = Self.parent(path)
                guard durable[path]?.isFolder == true else { return false }
            }
            return true
        }
        durable = files
        handles = [:]
        (isOff, rest, count) = (false, nil, 0)
        try write()
    }

    /// Works out what of the unsynced changes has reached the disk.
    private func forget() {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: break
        case 1: for change in changes { apply(change) }
        case 2:
            // In order, up to some moment.
            let kept = changes.prefix(Int.random(in: 0...changes.count, using: &random))
            for change in kept.dropLast() { apply(change) }
            if let last = kept.last { applyTorn(last) }
        default:
            // Entries of folders in order, as journals of file systems have them; content in any.
            let keeps = Double.random(in: 0...1, using: &random)
            let entries = changes.filter { if case .write = $0 { false } else { true } }
            for change in entries.prefix(Int.random(in: 0...entries.count, using: &random)) { apply(change) }
            for change in changes.shuffled(using: &random) where Double.random(in: 0..<1, using: &random) < keeps {
                if case .write = change { applyTorn(change) }
            }
        }
        changes = []
        for file in files.values { file.now = file.durable }
        for file in durable.values { file.now = file.durable }
    }

    private func apply(_ change: Change) {
        switch change {
        case .write(let file, let offset, let bytes): file.durable.put(bytes, at: offset)
        case .size(let file, let size): file.durable.resize(size)
        case .entry(_, let path, let file): durable[path] = file
        case .rename(let from, let to, let file): (durable[from], durable[to]) = (nil, file)
        }
    }

    /// Only some of a write's sectors arrive.
    private func applyTorn(_ change: Change) {
        guard case .write(let file, let offset, let bytes) = change else { return apply(change) }
        var start = 0
        while start < bytes.count {
            let end = min((offset + start) / 512 * 512 + 512 - offset, bytes.count)
            if Bool.random(using: &random) { file.durable.put(bytes[start..<end], at: offset + start) }
            start = end
        }
    }

    private func write() throws {
        power_cut_pause(1)
        defer { power_cut_pause(-1) }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        for (path, file) in files.sorted(by: { $0.key < $1.key }) where path != folder {
            if file.isFolder {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            } else if !FileManager.default.createFile(
                atPath: path, contents: Data(file.now), attributes: [.posixPermissions: 0o600])
            {
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }
}
