import Backstitch
import BackstitchSync

/// Rooms with chairs in several zones: made, renamed and deleted, and never linked across zones.
final class RoomWorkload: Workload {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }
    /// A room that got a new chair in the present transaction.
    private var filled: (room: ObjectID, chair: ObjectID)?
    /// The zone of each object on the first judged device.
    private var places: [ObjectKey: String] = [:]
    /// The texts of the main zone's objects, on the owner's device judged last.
    private var main: [ObjectKey: String] = [:]

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        guard let process = device.living else { return }
        var zones: [String] = []
        // A guest has only the one shared zone, and moves nothing.
        if device.guest == nil {
            if scheduler.chance(150), try !makeZone(process, device) { return }
            if scheduler.chance(180) { return try move(on: process, device) }
            if scheduler.chance(80) { return try cross(on: device) }
            zones = try process.store.readJournal { try $0.zones() }.values.sorted()
        }
        filled = nil
        let outcome = try device.edit { context, promises in
            for _ in 0..<Int(scheduler.pick(1...3)) { try step(context, &promises, zones, world.uniqueText(device)) }
        }
        if outcome == .saved, let filled { clear(filled.room, of: filled.chair, soonAfter: device) }
    }

    /// Often another device deletes a room soon after it got a chair, before that device can know the chair.
    private func clear(_ room: ObjectID, of chair: ObjectID, soonAfter device: SimulatedDevice) {
        guard scheduler.chance(900),
            let other = world.any(
                world.presentDevices.filter { $0.disk !== device.disk && $0.isAlive && $0.mayHave(whatIsOn: device) })
        else { return }
        scheduler.after(scheduler.pick(0...300)) { [unowned world, unowned other] in
            guard !world.isHealed else { return }
            world.attempt {
                guard let process = other.living, try process.has(room), !other.isAway else { return }
                if try !process.has(chair) {
                    world.situations.note("a room was deleted by who did not know a chair in it")
                }
                try other.delete(room)
            }
        }
    }

    /// - Returns: Whether the process has survived it.
    private func makeZone(_ process: SimulatedDevice.Process, _ device: SimulatedDevice) throws -> Bool {
        let name = WorldPlan.furtherZones[Int(scheduler.pick(0...Int64(WorldPlan.furtherZones.count - 1)))]
        process.step = "an app's save"
        world.trace.note("a zone \(name) is made")
        defer { device.tellOfSave() }
        do { try process.store.makeZone(named: name) } catch  where !process.isAlive { return false }
        return true
    }

    /// Moves a room to another zone, with its chairs.
    private func move(on process: SimulatedDevice.Process, _ device: SimulatedDevice) throws {
        let zones = try process.store.readJournal { try $0.zones() }.values.sorted()
        var rooms: [ObjectID] = []
        try device.read { context in
            rooms = try context.fetch(FetchRequest<SimulatedRoom>()).map(\.objectID).sorted { $0.key < $1.key }
        }
        guard let room = world.any(rooms) else { return }
        let zone = scheduler.chance(300) ? "" : world.any(zones) ?? ""
        process.step = "an app's save"
        world.trace.note("\(device.name) moves room \(room.key.uuidString.suffix(4)) to \"\(zone)\"")
        defer { device.tellOfSave() }
        let isShown = try self.zones(device)?[room.key] == "" && !world.sharing.joined.isEmpty
        do {
            if isShown, !zone.isEmpty { world.situations.note("an object moved out of a guest's sight") }
            try process.store.moveObjects(
                [room], toZoneNamed: zone, SyncedModel(process.coordinator.model))
        } catch let error as BackstitchError where error.code == .crossZoneRelationship {
            // The room got a chair meanwhile, and the two are not in the same zone yet.
            world.situations.note("a move was refused for a link that would cross")
        } catch  where !process.isAlive { return }
    }

    private func step(
        _ context: ManagedObjectContext, _ promises: inout Promises, _ zones: [String], _ text: String
    ) throws {
        let rooms = try context.fetch(FetchRequest<SimulatedRoom>()).filter { !$0.isDeleted }
        let chairs = try context.fetch(FetchRequest<SimulatedChair>()).filter { !$0.isDeleted }
        switch scheduler.pick(0...9) {
        case 0, 1:
            let room = SimulatedRoom(context: context)
            promises.set(room, "name", text)
            let zone = scheduler.chance(200) ? nil : world.any(zones)
            if !zones.isEmpty { try context.assign(room, toZone: zone) }
            promises.say("makes room \(room.label) \(text) in \(zone ?? "the main zone")")
        case 2...4:
            guard let room = world.any(rooms) else { return }
            let chair = SimulatedChair(context: context)
            promises.set(chair, "text", text)
            chair["room"] = room
            world.ledger.parents[chair.key] = room.key
            filled = (room.objectID, chair.objectID)
            promises.say("puts chair \(chair.label) \(text) into \(room.label)")
        case 5, 6:
            let room = world.any(rooms)
            promises.set(room, "name", text)
            promises.say("names room \(room?.label ?? "nothing") \(text)")
        case 7:
            let chair = world.any(chairs)
            promises.set(chair, "text", text)
            promises.say("names chair \(chair?.label ?? "nothing") \(text)")
        default:
            let gone: ManagedObject? = scheduler.chance(300) ? world.any(rooms) : world.any(chairs)
            guard let gone else { return }
            promises.deletions.append(gone.key)
            promises.say("deletes \(gone.label)")
            context.delete(gone)
        }
    }

    /// Tries to put a chair into a room of another zone.
    private func cross(on device: SimulatedDevice) throws {
        guard let places = try zones(device) else { return }
        do {
            try device.edit { context, promises in
                let chairs = try context.fetch(FetchRequest<SimulatedChair>()).filter {
                    $0["room"] as SimulatedRoom? != nil
                }
                guard let chair = world.any(chairs),
                    let room = try context.fetch(FetchRequest<SimulatedRoom>()).first(where: {
                        // Its own room may have moved before it.
                        places[$0.key] != places[chair.key] && $0 !== chair["room"] as SimulatedRoom?
                    })
                else { return }
                chair["room"] = room
                promises.say("puts chair \(chair.label) into \(room.label) of another zone")
                try context.save()
                world.fail("\(device.name) has linked a chair to a room of another zone")
            }
        } catch let error as BackstitchError where error.code == .crossZoneRelationship {
            world.situations.note("a link from one zone to another was refused")
        }
    }

    /// The zones of all rooms and chairs.
    private func zones(_ device: SimulatedDevice) throws -> [ObjectKey: String]? {
        guard let process = device.process else { return nil }
        var keys: [ObjectKey] = []
        for name in ["Room", "Chair"] {
            let entity = try process.coordinator.model.requireEntity(named: name)
            keys += try process.store.fetchKeys(StoreFetchRequest(entity: entity))
        }
        return try process.store.readJournal { journal in
            let names = try journal.zones(), places = try journal.zones(of: keys)
            // The shared zone is the owner's main one.
            let isGuest = device.guest != nil
            return Dictionary(
                uniqueKeysWithValues: keys.map { ($0, isGuest ? "" : places[$0].flatMap { names[$0] } ?? "") })
        }
    }

    func judge(_ device: SimulatedDevice) throws {
        guard let zones = try zones(device) else { return }
        if let guest = device.guest, !world.sharing.joined.contains(guest) { return }
        try judgeTexts(device, zones)
        if zones.values.contains(where: { !$0.isEmpty }) { world.situations.note("objects were in further zones") }
        for (key, zone) in zones {
            if let place = places[key], place != zone {
                world.fail("\(key.uuidString.suffix(4)) is in \"\(place)\", and on \(device.name) in \"\(zone)\"")
            }
            places[key] = zone
        }
        try device.read { context in
            for chair in try context.fetch(FetchRequest<SimulatedChair>()) {
                guard let room: SimulatedRoom = chair["room"] else { continue }
                if zones[chair.key] != zones[room.key] {
                    world.fail("\(device.name) has chair \(chair.label) in another zone than its room \(room.label)")
                }
            }
        }
    }

    /// Compares a guest with the owner in the shared zone. Objects moved out of it must be gone, and objects moved in
    /// must be there.
    private func judgeTexts(_ device: SimulatedDevice, _ zones: [ObjectKey: String]) throws {
        try device.read { context in
            var texts: [ObjectKey: String] = [:]
            for room in try context.fetch(FetchRequest<SimulatedRoom>()) { texts[room.key] = room["name"] ?? "" }
            for chair in try context.fetch(FetchRequest<SimulatedChair>()) { texts[chair.key] = chair["text"] ?? "" }
            let shown = texts.filter { zones[$0.key] == "" }
            if device.guest == nil { return main = shown }
            if shown != main {
                let keys = Set(shown.keys).union(main.keys).filter { shown[$0] != main[$0] }.sorted()
                let both = keys.map { key in
                    "\(key.uuidString.suffix(4)): \(shown[key] ?? "none"), \(main[key] ?? "none")"
                }
                world.fail("\(device.name) and the owner differ in \(both)")
            }
        }
    }
}
