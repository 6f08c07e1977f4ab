import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSQLite

@Suite("A store that is only read, by somebody who may not write in its folder")
struct ReadOnlyFolderTests {
    /// A store of one group with a file of six bytes, in a folder without write permission.
    private func shipped(_ prepare: (StoreFixture) throws -> Void = { _ in }) throws -> StoreFixture {
        let fixture = try StoreFixture(.probe)
        let container = try PersistentContainer(model: .probe, store: .init(type: .sqlite, url: fixture.file))
        let context = ManagedObjectContext(coordinator: container.coordinator)
        try context.insertObject(entityName: "Group").setValue(.data(Data("photo!".utf8)), forKey: "file")
        try context.save()
        try container.close()
        try prepare(fixture)
        try setModes(fixture.folder, mayWrite: false)
        return fixture
    }

    /// Gives read permission to all, and write permission to the owner or to none.
    private func setModes(_ folder: URL, mayWrite: Bool) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for path in [folder.path] + names.map({ folder.appending(path: $0).path }) {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            chmod(path, (isFolder.boolValue ? 0o555 : 0o444) | (mayWrite ? 0o200 : 0))
        }
    }

    private func reader(_ fixture: StoreFixture) throws -> TestProcess { try TestProcess(["read", fixture.file.path]) }

    @Test("is read, assets included, and leaves no trace")
    func reads() throws {
        let fixture = try shipped()
        let before = try FileManager.default.subpathsOfDirectory(atPath: fixture.folder.path).sorted()
        let reader = try reader(fixture)
        #expect(reader.readLine() == "1 groups, 1 again, 6 bytes")
        try reader.send("once more")
        #expect(reader.readLine() == "1 groups, 1 again, 6 bytes")
        reader.kill()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: fixture.folder.path).sorted() == before)
        try setModes(fixture.folder, mayWrite: true)
    }

    @Test("is refused while its log has saves that are not in the file")
    func log() throws {
        let fixture = try shipped { fixture in
            let store = try fixture.open(), copy = fixture.folder.appending(path: "copy")
            try FileManager.default.copyItem(at: fixture.file, to: copy)
            try store.save { $0.inserts = [try fixture.rows("Group", fixture.generator.next())] }
            let log = try Data(contentsOf: URL(filePath: fixture.file.path + "-wal"))
            try store.close()
            try FileManager.default.removeItem(at: fixture.file)
            try FileManager.default.moveItem(at: copy, to: fixture.file)
            try log.write(to: URL(filePath: fixture.file.path + "-wal"))
        }
        let reader = try reader(fixture)
        let answer = try #require(reader.readLine())
        #expect(answer.hasPrefix("readOnly:") && answer.contains("store.sqlite-wal"), "\(answer)")
        reader.kill()
        try setModes(fixture.folder, mayWrite: true)
    }

    @Test("that is changed all the same says so, and does not mix two states")
    func changed() throws {
        let fixture = try shipped()
        let reader = try reader(fixture)
        #expect(reader.readLine() == "1 groups, 1 again, 6 bytes")
        try setModes(fixture.folder, mayWrite: true)
        let store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Group", fixture.generator.next())] }
        try store.close()
        try reader.send("once more")
        let answer = try #require(reader.readLine())
        #expect(answer.hasPrefix("storeMoved:") && answer.contains("was changed"), "\(answer)")
        reader.kill()
    }

    @Test("is followed while another process has it open, whose index of the log can be read")
    func beside() throws {
        let fixture = try shipped()
        try setModes(fixture.folder, mayWrite: true)
        let store = try fixture.open()
        try store.save { $0.inserts = [try fixture.rows("Group", fixture.generator.next())] }
        try setModes(fixture.folder, mayWrite: false)
        let reader = try reader(fixture)
        #expect(reader.readLine()?.hasPrefix("2 groups") == true)
        try setModes(fixture.folder, mayWrite: true)
        try store.save { $0.inserts = [try fixture.rows("Group", fixture.generator.next())] }
        try reader.send("once more")
        #expect(reader.readLine()?.hasPrefix("3 groups") == true)
        reader.kill()
        try store.close()
    }
}
