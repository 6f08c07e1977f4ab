import BackstitchSupport
import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

/// Random changes of hierarchies and shares, compared with a plain model. At every moment, guests must read exactly the
/// data that the model lets them see.
@Suite("the feed of a guest of shared records") struct RecordShareModelTests {
    private typealias Place = SharedPlace

    /// A guest's device, which reads pages of any size now and then.
    private struct Device {
        let name: String
        let guest: SharedPlace.Guest
        var database: String?
        var token: String?
        var isBehind = false
        var copy: [String: String] = [:]
        /// All that the user could ever see.
        var everSeen: Set<String> = []
        /// In a read from the beginning, what it has not met.
        var unmet: Set<String>?

        init(_ name: String, _ place: SharedPlace) {
            self.name = name
            guest = place.guest(name)
        }

        mutating func forget() { (copy, token, isBehind, unmet) = ([:], nil, false, nil) }

        /// Reads at most `pages` pages of the zones with news.
        mutating func read(pages: Int, limit: Int, _ model: RecordShareModel) async throws {
            let news = try await guest.database(database)
            database = news.token
            for zone in news.zones {
                if zone.deleted == true { forget() } else { isBehind = true }
            }
            #expect(!news.zones.contains { $0.deleted == true } || !model.mayEnter(name), "\(name) has lost the zone")
            for _ in 0..<pages where isBehind {
                if token == nil { unmet = Set(copy.keys) }
                let answer: ZoneChangesResponse = try await guest.client.call(
                    .changesZone,
                    ZoneChangesRequest(zones: [.init(zoneID: SharedPlace.zone, syncToken: token)], resultsLimit: limit))
                switch answer.zones.first {
                case .changes(let page): take(page, model)
                case .error(let error)? where error.error.code == .badRequest && token != nil: token = nil
                case .error(let error)?: throw error.error
                case nil: throw TestFailure("no zone")
                }
            }
        }

        private mutating func take(_ page: ZoneChanges, _ model: RecordShareModel) {
            let sight = model.sight(of: name)
            for record in page.records {
                unmet?.remove(record.recordName)
                if record.deleted {
                    #expect(everSeen.contains(record.recordName), "\(name) hears of '\(record.recordName)'")
                    #expect(sight[record.recordName] == nil, "\(name) is told that '\(record.recordName)' is gone")
                    copy[record.recordName] = nil
                } else {
                    let title = Self.title(of: record)
                    #expect(sight[record.recordName] == title, "\(name) reads '\(record.recordName)'")
                    if let parent = record.parent?.recordName {
                        #expect(sight[parent] != nil, "\(name) reads that '\(parent)' is the parent of a record")
                    }
                    copy[record.recordName] = title
                }
            }
            token = page.syncToken
            guard !page.moreComing else { return }
            isBehind = false
            for name in unmet ?? [] { copy[name] = nil }
            unmet = nil
        }

        private static func title(of record: WireRecord) -> String {
            let field = record.recordType == WireShare.recordType ? "cloudkit.title" : "title"
            if case .string(let title)? = record.value(field) { return title }
            return "?"
        }
    }

    /// One run: the server, the model, and the devices.
    private struct World {
        static let guests = ["bob", "carol", "dave"]

        let place: SharedPlace
        var random: SeededGenerator
        var model = RecordShareModel()
        var devices: [Device]
        var count = 0
        /// All names that ever were, in their order.
        var names: [String] = ["list"]
        var addresses: [String: String] = [:]

        init(_ place: SharedPlace, seed: UInt64) {
            self.place = place
            random = SeededGenerator(seed: seed)
            devices = Self.guests.map { Device($0, place) }
            model.records["list"] = .init(parent: nil, title: "Food")
        }

        mutating func name(_ word: String) -> String {
            count += 1
            return "\(word)\(count)"
        }

        mutating func some(_ list: some Collection<String>) -> String? {
            list.sorted().randomElement(using: &random)
        }

        mutating func parent() -> String? {
            roll(4) == 0 ? nil : some(model.records.keys)
        }

        mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

        private func expect(
            _ results: [RecordResult], _ refusal: WireErrorCode? = nil, _ what: String
        ) throws {
            try #require(results[0].error?.code == refusal, "\(what): \(results[0])")
        }

        mutating func step() async throws {
            switch roll(20) {
            case 0...4: try await save(try newName(), parent())
            case 5...8: if let name = some(model.records.keys) { try await save(name, parent()) }
            case 9...10: if let name = some(model.records.keys) { try await save(name, model.records[name]?.parent) }
            case 11: if let name = some(model.records.keys), model.records.count > 4 { try await delete(name) }
            case 12: try await begin()
            case 13: if let name = some(model.shares.keys), roll(2) == 0 { try await end(name) }
            case 14...15: if let name = some(model.shares.keys) { try await accept(name) }
            case 16: if let name = some(model.shares.keys) { try await changeRights(name) }
            case 17: if let name = some(model.shares.keys) { try await leave(name) }
            default: try await guestWrites()
            }
            for index in devices.indices {
                devices[index].everSeen.formUnion(model.sight(of: devices[index].name).keys)
            }
        }

        private mutating func newName() throws -> String {
            let gone = names.filter { model.records[$0] == nil }
            if roll(4) == 0, let again = gone.randomElement(using: &random) { return again }
            let new = name("r")
            names.append(new)
            return new
        }

        private mutating func save(_ record: String, _ parent: String?) async throws {
            let title = name("title")
            try expect(
                await place.alice.modify([Place.item(record, in: parent, as: .forceReplace, title: title)]), nil,
                "save of \(record) in \(parent ?? "nothing")")
            model.records[record] = .init(parent: parent, title: title)
        }

        private mutating func delete(_ record: String) async throws {
            try expect(await place.alice.modify([operation(.forceDelete, record)]), nil, "deletion of \(record)")
            model.delete(record)
        }

        private mutating func begin() async throws {
            guard model.shares.count < 4, let root = some(model.records.keys.filter { !model.isRoot($0) }) else {
                return
            }
            let share = name("S")
            addresses[share] = try await place.shareRecord(root, as: share)
            model.shares[share] = .init(root: root)
        }

        private mutating func end(_ share: String) async throws {
            try expect(await place.alice.modify([operation(.forceDelete, share)]), nil, "end of \(share)")
            model.shares[share] = nil
        }

        /// Sets all guests' rights in a share.
        private func put(_ share: String, _ guests: [String: RecordShareModel.Rights]) async throws {
            let participants = guests.sorted { $0.key < $1.key }.map { guest, rights in
                WireParticipant(
                    .init(userRecordName: "_\(guest)"), type: rights == .administers ? .administrator : .user,
                    permission: rights.permission)
            }
            try expect(
                await place.alice.modify([Place.share(share, of: nil, as: .forceUpdate, participants)]), nil,
                "rights in \(share)")
        }

        private mutating func accept(_ share: String) async throws {
            guard let guest = some(Self.guests),
                let rights = RecordShareModel.Rights.allCases.randomElement(using: &random),
                let address = addresses[share]
            else { return }
            var guests = model.shares[share]?.guests ?? [:]
            guests[guest] = rights
            try await put(share, guests)
            try await place.accept(address, guest)
            model.shares[share]?.guests = guests
        }

        private mutating func changeRights(_ share: String) async throws {
            guard var guests = model.shares[share]?.guests, let guest = some(guests.keys) else { return }
            guests[guest] = roll(3) == 0 ? nil : RecordShareModel.Rights.allCases.randomElement(using: &random)
            try await put(share, guests)
            model.shares[share]?.guests = guests
        }

        private mutating func leave(_ share: String) async throws {
            guard let guests = model.shares[share]?.guests, let guest = some(guests.filter { $0.value.mayRead }.keys)
            else { return }
            try expect(
                await place.guest(guest).modify([operation(.forceDelete, share)]), nil, "\(guest) leaves \(share)")
            model.shares[share]?.guests[guest] = nil
        }

        private mutating func guestWrites() async throws {
            guard let guest = some(Self.guests) else { return }
            let sight = model.sight(of: guest)
            let name = roll(3) == 0 ? name("g") : some(model.records.keys) ?? "list"
            if roll(4) == 0 {
                let refusal = model.refusal(of: guest, deleting: name)
                try expect(
                    await place.guest(guest).modify([operation(.forceDelete, name)]), refusal,
                    "\(guest) deletes \(name)")
                if refusal == nil, sight[name] != nil { model.delete(name) }
                return
            }
            var record = RecordShareModel.Record(parent: parent(), title: self.name("title"))
            let refusal = model.refusal(of: guest, saving: name, as: record)
            try expect(
                await place.guest(guest).modify([
                    Place.item(name, in: record.parent, as: .forceReplace, title: record.title)
                ]), refusal, "\(guest) saves \(name) in \(record.parent ?? "nothing")")
            guard refusal == nil else { return }
            if model.isRoot(name) { record.parent = model.records[name]?.parent }
            model.records[name] = record
            if !names.contains(name) { names.append(name) }
        }

        /// Some devices read a little.
        mutating func read() async throws {
            for index in devices.indices where roll(3) == 0 {
                try await devices[index].read(pages: 1 + roll(3), limit: 1 + roll(4), model)
            }
        }

        /// All devices read to the end, and have what they should.
        mutating func settle() async throws {
            for index in devices.indices {
                try await devices[index].read(pages: 1_000, limit: 1 + roll(5), model)
                let device = devices[index], sight = model.sight(of: device.name)
                try #require(device.copy == sight, "\(device.name)")
                guard model.mayEnter(device.name) else { continue }
                let known = names + model.shares.keys
                let found = try await device.guest.found(known)
                #expect(found == Set(sight.keys), "\(device.name) looks up")
            }
        }
    }

    @Test(
        "has what the guest may see, whatever is moved, shared, ended and left, and nothing else ever",
        arguments: StorageKind.allCases, 0..<12)
    func model(_ kind: StorageKind, _ seed: UInt64) async throws {
        try await Place.with(on: kind) { place in
            var world = World(place, seed: seed)
            for _ in 0..<12 {
                for _ in 0..<8 {
                    try await world.step()
                    try await world.read()
                }
                try await world.settle()
            }
        }
    }

    @Test("misses nothing and shows nothing else while several write and move at once", arguments: StorageKind.allCases)
    func writers(_ kind: StorageKind) async throws {
        try await Place.withHierarchy(on: kind) { place in
            try await place.accept(try await place.shareRecord("list", everybody: .readWrite), "bob")
            let bob = place.guest("bob"), isWriting = Locked(true), numbers = 0..<15
            for number in numbers {
                _ = try await place.alice.modify([
                    Place.item("folder\(number)", in: "diary", title: "hidden"),
                    Place.item("child\(number)", in: "folder\(number)", title: "hidden"),
                ])
            }
            var token: String?, copy: Set<String> = []
            func follow() async throws {
                let page = try await bob.page(token)
                token = page.syncToken
                for record in page.records {
                    #expect(!record.recordName.hasPrefix("secret"), "\(record)")
                    if record.deleted { copy.remove(record.recordName) } else { copy.insert(record.recordName) }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { writers in
                        // Folders come and go; the even ones stay at last.
                        for number in numbers {
                            writers.addTask {
                                for round in 0...(number % 2 + 2) {
                                    let isShown = round % 2 == 0
                                    _ = try await place.alice.modify([
                                        Place.item(
                                            "folder\(number)", in: isShown ? "list" : "diary", as: .forceReplace)
                                    ])
                                    _ = try await place.alice.modify([
                                        Place.item("secret\(number) \(round)", in: "diary")
                                    ])
                                    _ = try await bob.modify([Place.item("b\(number) \(round)", in: "list")])
                                }
                            }
                        }
                        try await writers.waitForAll()
                    }
                    isWriting.withLock { $0 = false }
                }
                while isWriting.withLock({ $0 }) { try await follow() }
                try await group.waitForAll()
            }
            try await follow()
            var expected: Set = ["list", "milk", "fat", "bread", "share of list"]
            for number in numbers {
                if number % 2 == 0 { expected.formUnion(["folder\(number)", "child\(number)"]) }
                for round in 0...(number % 2 + 2) { expected.insert("b\(number) \(round)") }
            }
            #expect(copy == expected)
        }
    }
}
