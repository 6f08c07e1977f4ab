import BackstitchSupport
import Foundation
import Testing

@Suite("Files that last")
struct FileTests {
    private final class Folder: Sendable {
        let path: String
        init() throws { path = try FileCalls.makeTemporaryFolder("backstitch-files") }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a lock is one holder's, or of several that share it, and goes with its holder")
    func lock() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        var mine: FileLock? = FileLock(path)
        let other = FileLock(path)
        #expect(try mine?.take(.exclusive) == true && other.take(.exclusive) == false)
        #expect(try other.take(.shared) == false && mode(path) == 0o600)
        #expect(try mine?.take(.shared) == true && other.take(.shared) == true)
        // It cannot change to a mode that conflicts with the other's, and then holds none.
        #expect(try other.take(.exclusive) == false && mine?.take(.exclusive) == true)
        mine = nil
        #expect(try other.take(.exclusive) == true)
        other.release()
        other.release()
        #expect(try FileLock(path).take(.exclusive) == true)
    }

    @Test("a lock that is given back is free, also while a process that is just being started has its file open")
    func inherited() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        let mine = FileLock(path)
        #expect(try mine.take(.exclusive))
        // A new process has copies of all open files until its program starts.
        let copies = try descriptors(of: path).map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        mine.release()
        #expect(try FileLock(path).take(.exclusive))
    }

    /// This process's open descriptors of the file at a path.
    private func descriptors(of path: String) throws -> [Int32] {
        var file = stat()
        guard stat(path, &file) == 0 else { throw SystemError.last("stat", path) }
        return try FileCalls.names(in: "/dev/fd").compactMap(Int32.init).filter { descriptor in
            var open = stat()
            return fstat(descriptor, &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino
        }
    }

    @Test("a lock's file that cannot be made is an error that names the call, and so is a link where none may be")
    func noLock() throws {
        let folder = try Folder()
        let error = #expect(throws: SystemError.self) {
            try FileLock(folder.path + "/none/lock").take(.exclusive)
        }
        #expect(error?.call == "open" && error?.number == ENOENT)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/target")
        let link = #expect(throws: SystemError.self) {
            try FileLock(folder.path + "/link", followsLinks: false).take(.exclusive)
        }
        #expect(link?.number == ELOOP)
        #expect(try FileLock(folder.path + "/link").take(.exclusive))
    }

    @Test("folders are made with those around them, mode 0700; a link or a file in their place is refused")
    func folders() throws {
        let folder = try Folder()
        for path in [folder.path + "/a/b/c", folder.path + "/a/b/c"] { try FileCalls.makeRealFolder(path) }
        try FileCalls.makeFolder(folder.path + "/x/y", withParents: true)
        for name in ["a", "a/b", "a/b/c", "x", "x/y"] { #expect(try mode("\(folder.path)/\(name)") == 0o700) }
        #expect(throws: SystemError.self) { try FileCalls.makeFolder(folder.path + "/u/v") }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/a")
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        for name in ["link", "file"] {
            let error = #expect(throws: NotAFolder.self) { try FileCalls.makeRealFolder("\(folder.path)/\(name)") }
            #expect(error?.path == "\(folder.path)/\(name)")
        }
    }

    @Test("a file is made once, with mode 0600, and nothing is made through a link")
    func files() throws {
        let folder = try Folder()
        let path = folder.path + "/file"
        let file = try #require(try FileCalls.create(path))
        try file.write(Data("abc".utf8))
        try file.write(Array("def".utf8))
        try file.sync()
        file.close()
        #expect(try mode(path) == 0o600 && FileCalls.create(path) == nil && FileCalls.size(of: path) == 6)
        #expect(try FileCalls.contents(of: path) == Data("abcdef".utf8))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: path + "2")
        #expect(try FileCalls.create(folder.path + "/link") == nil)
        #expect(try FileCalls.rename(path, to: path + "3") && !FileCalls.rename(path, to: path + "4"))
        try FileCalls.remove(path + "3")
        try FileCalls.remove(path + "3")
        #expect(try FileCalls.contents(of: path + "3") == nil)
    }

    @Test("content that is written and content that is adopted lie below two folders, are listed, and can be removed")
    func content() throws {
        let folder = try Folder()
        let files = ContentFolder(folder.path + "/content", drafts: "drafts")
        try FileCalls.makeRealFolder(files.path)
        try files.write([("aa/bb/one", .data(Data("1".utf8))), ("aa/bb/two", .data(Data("22".utf8)))])
        try files.write([("aa/bb/two", .data(Data("22".utf8)))])
        for _ in 0..<2 {
            let draft = files.drafts + "/incoming"
            try FileCalls.create(draft)?.close()
            try files.adopt(draft, as: "aa/cc/three")
            try FileCalls.remove(draft)
        }
        var names: [String] = []
        try files.forEachName(where: { level, name in level > 0 || name == "aa" }) { names.append($0) }
        #expect(names.sorted() == ["aa/bb/one", "aa/bb/two", "aa/cc/three"])
        #expect(try FileCalls.names(in: files.drafts).isEmpty)
        #expect(try files.contents(of: "aa/bb/two") == Data("22".utf8))
        #expect(files.has("aa/cc/three") && files.size(of: "aa/cc/three") == 0)
        try files.remove("aa/cc/three")
        #expect(!files.has("aa/cc/three"))
        #expect(try mode(files.path(of: "aa/bb/one")) == 0o600 && mode(files.path + "/aa/bb") == 0o700)
    }

    @Test("names of content go to the wire and to file names and back")
    func checksum() throws {
        let checksum = AssetChecksum(contentOf: Data("abc".utf8))
        #expect(checksum.hexadecimal == "01ba7816bf8f01cfea414140de5dae2223b00361a3")
        #expect(AssetChecksum(hexadecimal: checksum.hexadecimal) == checksum)
        #expect(AssetChecksum(wire: checksum.wire) == checksum && checksum.bytes.count == AssetChecksum.length)
        for text in ["", "AQ==", Data(count: 21).base64EncodedString()] { #expect(AssetChecksum(wire: text) == nil) }
        for text in ["", "01", "02" + String(checksum.hexadecimal.dropFirst(2)), checksum.hexadecimal + "00"] {
            #expect(AssetChecksum(hexadecimal: text) == nil)
        }
    }
}
