import Backstitch
import BackstitchSQL
import Foundation
import Testing

@Suite("Asset storage")
struct AssetDirectoryTests {
    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "backstitch-assets-\(UUID().uuidString)")
        deinit { try? FileManager.default.removeItem(at: url) }

        /// Paths of all plain files in the folder, except the lock file.
        func files() -> [String] {
            let all = FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? []
            return all.filter { path in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: url.path + "/" + path, isDirectory: &isFolder)
                    && !isFolder.boolValue && path != "lock"
            }.sorted()
        }
    }

    @Test("a checksum is base64 of 0x01 and the first 20 bytes of the SHA-256")
    func checksum() {
        let reference = AssetReference(contentOf: Data("abc".utf8))
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a3"
        let bytes = stride(from: 0, to: 40, by: 2).compactMap { UInt8(hash.dropFirst($0).prefix(2), radix: 16) }
        #expect(reference.checksum == Data([1] + bytes).base64EncodedString())
        #expect(reference.size == 3)
    }

    @Test("bytes come back, equal bytes are kept once, under the hash in two levels of folders")
    func writes() throws {
        let folder = Folder()
        let assets = try AssetDirectory(folder.url)
        let data = Data("abc".utf8)
        let reference = try assets.write(data)
        #expect(try assets.write(data) == reference)
        #expect(try assets.read(reference) == data)
        #expect(assets.contains(reference))
        #expect(folder.files() == ["ba/78/01ba7816bf8f01cfea414140de5dae2223b00361a3"])
        let empty = try assets.write(Data())
        #expect(try assets.read(empty) == Data())
    }

    @Test("what is not there reads as nil, and removing it is no error")
    func absent() throws {
        let folder = Folder()
        let assets = try AssetDirectory(folder.url)
        let reference = AssetReference(contentOf: Data("abc".utf8))
        #expect(try assets.read(reference) == nil)
        #expect(!assets.contains(reference))
        try assets.remove(reference)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path))
        _ = try assets.write(Data("abc".utf8))
        try assets.remove(reference)
        #expect(try assets.read(reference) == nil)
    }

    @Test("a collection reads once what is named, and once more for each part of what is not")
    func collection() throws {
        let folder = Folder()
        let assets = try AssetDirectory(folder.url)
        let place = folder.url.appending(path: "00/00")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let references = try (0..<4_100).map { number -> AssetReference in
            var bytes = [UInt8](repeating: 0, count: 21)
            (bytes[0], bytes[19], bytes[20]) = (1, UInt8(number / 256), UInt8(number % 256))
            try Data().write(to: place.appending(path: bytes.map { String(format: "%02x", $0) }.joined()))
            return AssetReference(checksum: Data(bytes).base64EncodedString(), size: 0)
        }
        var readings = 0
        func collected(keeping kept: some Sequence<AssetReference>) throws -> Int {
            try assets.collect {
                readings += 1
                return Set(kept)
            }
        }
        #expect(try collected(keeping: references) == 0)
        #expect(readings == 1)
        #expect(try collected(keeping: references.dropFirst(2)) == 2)
        #expect(readings == 3)
        #expect(folder.files().count == 4_098)
    }

    @Test("folders have mode 0700 and files 0600, whatever the umask")
    func modes() throws {
        let folder = Folder()
        let before = umask(0)
        defer { umask(before) }
        _ = try AssetDirectory(folder.url).write(Data(count: 100))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        let all = FileManager.default.enumerator(atPath: folder.url.path)?.allObjects as? [String] ?? []
        #expect(try mode(folder.url.path) == 0o700)
        #expect(all.count >= 4)
        for path in all {
            #expect(try mode(folder.url.path + "/" + path) == (path.count > 20 || path == "lock" ? 0o600 : 0o700))
        }
    }

    @Test("bytes from elsewhere must have the size and hash of their reference")
    func accepts() throws {
        let folder = Folder()
        let assets: [any AssetStorage] = [try AssetDirectory(folder.url), MemoryAssets()]
        let data = Data("hello".utf8)
        let reference = AssetReference(contentOf: data)
        for assets in assets {
            for (bytes, claimed) in [
                (Data("hell".utf8), reference), (Data("jello".utf8), reference),
                (data, AssetReference(checksum: reference.checksum, size: 4)),
            ] {
                let error = #expect(throws: BackstitchError.self) { try assets.accept(bytes, as: claimed) }
                #expect(error?.code == .asset)
            }
            #expect(!assets.contains(reference))
            try assets.accept(data, as: reference)
            #expect(try assets.read(reference) == data)
        }
    }

    @Test("nothing is collected while somebody is about to name content, be it in files or in memory")
    func guarded() throws {
        let folder = Folder()
        for assets in [try AssetDirectory(folder.url), MemoryAssets()] as [any CollectedAssets] {
            let reference = try assets.write(Data("about to be named".utf8))
            #expect(try assets.content.sharing { try assets.collect { [] } } == 0)
            #expect(assets.contains(reference))
            #expect(try assets.collect { [] } == 1)
        }
    }

    @Test(
        "foreign checksums of any form are kept by size alone, each for itself",
        arguments: ["AQ==", "../../../etc/passwd", "", "a/b\u{0}c", String(repeating: "x", count: 5_000), "Aé"])
    func foreign(_ checksum: String) throws {
        let folder = Folder()
        let assets = try AssetDirectory(folder.url)
        let reference = AssetReference(checksum: checksum, size: 3)
        try assets.accept(Data("abc".utf8), as: reference)
        #expect(try assets.read(reference) == Data("abc".utf8))
        #expect(folder.files().count == 1)
        #expect(folder.files()[0].split(separator: "/").last?.count == 64)
        #expect(throws: BackstitchError.self) { try assets.accept(Data("ab".utf8), as: reference) }
        try assets.remove(reference)
        #expect(folder.files().isEmpty)
    }

    @Test("a damaged file is an error that names it, not wrong bytes")
    func damaged() throws {
        let folder = Folder()
        let assets = try AssetDirectory(folder.url)
        let reference = try assets.write(Data("abc".utf8))
        let path = folder.url.path + "/" + folder.files()[0]
        try Data("abd".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: BackstitchError.self) { try assets.read(reference) }
        #expect(error?.code == .asset)
        #expect(error?.message.contains(path) == true)
    }

    @Test("opening sweeps what a crash left, and spares files that a live process writes")
    func sweeps() throws {
        let folder = Folder()
        let reference = try AssetDirectory(folder.url).write(Data("abc".utf8))
        let left = folder.url.appending(path: "temporary/left")
        let live = folder.url.appending(path: "temporary/live")
        try Data("half".utf8).write(to: left)
        try Data("half".utf8).write(to: live)
        let handle = try FileHandle(forUpdating: live)
        #expect(flock(handle.fileDescriptor, LOCK_EX) == 0)
        let assets = try AssetDirectory(folder.url)
        #expect(!FileManager.default.fileExists(atPath: left.path))
        #expect(FileManager.default.fileExists(atPath: live.path))
        #expect(try assets.read(reference) == Data("abc".utf8))
        // Closing alone would not do: a process started meanwhile by another test has a copy of the descriptor.
        #expect(flock(handle.fileDescriptor, LOCK_UN) == 0)
        try handle.close()
        _ = try AssetDirectory(folder.url)
        #expect(!FileManager.default.fileExists(atPath: live.path))
    }

    @Test("many threads write the same and other bytes into one folder, through two storages, while others open it")
    func concurrent() async throws {
        let folder = Folder()
        let storages = [try AssetDirectory(folder.url), try AssetDirectory(folder.url)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<40 {
                        let data = Data("content \(number % 10)".utf8)
                        let reference = try storages[task % 2].write(data)
                        guard try storages[(task + 1) % 2].read(reference) == data else {
                            throw BackstitchError(.asset, "other bytes")
                        }
                        if number % 10 == 0 { _ = try AssetDirectory(folder.url) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(folder.files().count == 10)
    }

    @Test("a folder that cannot be made is an error that names it")
    func noFolder() throws {
        let folder = Folder()
        try Data().write(to: folder.url)
        let assets = try AssetDirectory(folder.url)
        let error = #expect(throws: BackstitchError.self) { try assets.write(Data("abc".utf8)) }
        #expect(error?.message.contains(folder.url.path) == true)
    }
}
