import Backstitch
import BackstitchSync

/// Rooms with chairs in several zones: made, renamed and deleted, and never linked across zones. Secrets and shelves of
/// other workloads move between the zones as well.
final class RoomWorkload: Workload {
    private unowned let world: World
    private var scheduler: Scheduler { world.scheduler }
    /// A room that got a new chair in the present transaction.
    private var filled: (room: ObjectID, chair: ObjectID)?
    /// The zone of each object on the first judged device.
    private var places: [ObjectKey: String] = [:]
    /// The texts of the shared zone's objects, on the owner's device judged last.
    private var main: [ObjectKey: String] = [:]

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        guard let process = device.living, !isBlind(device) else { return }
        var zones: [String] = []
        // A guest has only the one shared zone, and moves nothing.
        if device.guest == nil {
            // Moves are to meet shares and keys.
            let isBusy = world.plan.guests > 0 || world.plan.hasSecrets
            if scheduler.chance(isBusy ? 300 : 150), try !makeZone(process, device) { return }
            if scheduler.chance(isBusy ? 500 : 180) { return try move(on: process, device) }
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

    /// Whether a device sees no rooms: they are never below a shared object.
    private func isBlind(_ device: SimulatedDevice) -> Bool {
        device.guest != nil && world.plan.sharesObjects && world.plan.gallery == nil
    }

    /// The zone that is shared as a whole, by its name on the owner's devices.
    private var shared: String { world.plan.gallery ?? "" }

    /// The entities whose objects move, with all below them.
    private var movable: [String] {
        ["Room"] + (world.plan.hasSecrets ? [SimulationModel.secret] : [])
            + (world.plan.workloads.contains(.shelves) ? ["Shelf", "Book"] : [])
    }

    /// Moves a room, a secret or a shelf to another zone, with all below it.
    private func move(on process: SimulatedDevice.Process, _ device: SimulatedDevice) throws {
        let zones = try process.store.readJournal { try $0.zones() }.values.sorted()
        let name = world.any(movable) ?? "Room"
        var objects: [ObjectID] = []
        try device.read { context in
            objects = try context.fetch(FetchRequest<ManagedObject>(entityName: name)).map(\.objectID)
                .sorted { $0.key < $1.key }
        }
        guard let object = world.any(objects) else { return }
        let zone = scheduler.chance(300) ? "" : world.any(zones) ?? ""
        process.step = "an app's save"
        world.trace.note("\(device.name) moves \(name) \(object.key.uuidString.suffix(4)) to \"\(zone)\"")
        defer { device.tellOfSave() }
        let isShown = try self.zones(device)?[object.key] == shared && !world.sharing.joined.isEmpty
        do {
            if isShown, zone != shared { world.situations.note("an object moved out of a guest's sight") }
            try process.store.moveObjects(
                [object], toZoneNamed: zone, SyncedModel(process.coordinator.model))
        } catch let error as BackstitchError where error.code == .crossZoneRelationship {
            // The room got a chair meanwhile, and the two are not in the same zone yet. Or a shelf has a parent, or a
            // book on it an author.
            world.situations.note("a move was refused for a link that would cross")
        } catch let error as BackstitchError where error.code == .invalidRequest && name != "Room" {
            // A shelf is shared where it is, or a secret waits for its key.
            world.situations.note(
                name == SimulationModel.secret
                    ? "a move was refused for a change that waits for its key"
                    : "a move of an object was refused, because it is shared where it is")
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
        for name in Set(movable + ["Chair"]).sorted() {
            let entity = try process.coordinator.model.requireEntity(named: name)
            keys += try process.store.fetchKeys(StoreFetchRequest(entity: entity))
        }
        return try process.store.readJournal { journal in
            let names = try journal.zones(), places = try journal.zones(of: keys)
            return Dictionary(
                uniqueKeysWithValues: keys.map { key in
                    let name = places[key].flatMap { names[$0] } ?? ""
                    // A guest's zones have the owner's name before their own.
                    return (key, device.guest == nil ? name : String(name.drop { $0 != "/" }.dropFirst()))
                })
        }
    }

    func judge(_ device: SimulatedDevice) throws {
        guard !isBlind(device), let zones = try zones(device) else { return }
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
            let shown = texts.filter { zones[$0.key] == shared }
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
