import Backstitch
import BackstitchSync

/// A kind of work that users do, one transaction at a time.
protocol Workload {
    /// Does one action on a living device.
    func act(on device: SimulatedDevice) throws
    /// Checks the content of a device, at any moment.
    func look(at device: SimulatedDevice) throws
    /// Checks the content of a device when the world is at rest.
    func judge(_ device: SimulatedDevice) throws
    /// Called after a power cut took back saved changes of a device.
    func lost(_ cut: PowerCut)
}

extension Workload {
    func look(at device: SimulatedDevice) throws {}
    func judge(_ device: SimulatedDevice) throws {}
    func lost(_ cut: PowerCut) {}
}

extension SimulatedDevice {
    /// Changes objects in a new context and saves.
    @discardableResult
    func edit(_ body: (ManagedObjectContext, inout Promises) throws -> Void) throws -> SaveOutcome {
        guard let process = living, try hasZone() else { return .nothing }
        process.step = "an app's save"
        let context = ManagedObjectContext(coordinator: process.coordinator)
        context.mergePolicy = .mergeByPropertyObjectTrump
        var promises = Promises()
        var before: Set<ObjectKey> = []
        var outcome = SaveOutcome.nothing
        do {
            try body(context, &promises)
            if !promises.deletions.isEmpty { before = try process.keys() }
            if context.hasChanges {
                try assignToZone(context)
                try context.save()
                outcome = .saved
                // The dependents of deleted objects are deleted, too.
                if !promises.deletions.isEmpty {
                    let after = try process.keys()
                    promises.deletions = before.subtracting(after).sorted()
                    promises.values.removeAll { !after.contains($0.0.key) }
                }
            }
        } catch  where !mortality.isAlive {
            outcome = .unknown
            promises.deletions = before.sorted()
        } catch let error as BackstitchError where database != .private && error.code == .permissionDenied {
            world.situations.note("a save was refused for want of a right")
        }
        world.saved(promises, on: self, outcome)
        // Other processes hear of a written save even if its own process died.
        if outcome != .nothing { tellOfSave() }
        return outcome
    }

    /// Links objects, and saves the links only after `wait` milliseconds. If one of the objects is deleted meanwhile,
    /// its links are dropped.
    func link(savingAfter wait: Int64, _ body: (ManagedObjectContext, inout Promises) throws -> [ObjectID]) throws {
        guard let process = living, try hasZone() else { return }
        let context = ManagedObjectContext(coordinator: process.coordinator)
        context.mergePolicy = .mergeByPropertyStoreTrump
        var promises = Promises()
        let ends = try body(context, &promises)
        let life = life
        world.scheduler.after(wait) { [unowned self] in
            // Unsaved objects and their context hold each other.
            defer { context.reset() }
            guard self.life == life, let process = living, !world.isHealed, context.hasChanges
            else { return }
            process.step = "an app's save"
            world.attempt {
                let isGone = try ends.contains { try !process.has($0) }
                do {
                    try context.save()
                } catch  where !mortality.isAlive {
                    tellOfSave()
                    return world.saved(promises, on: self, .unknown)
                } catch let error as BackstitchError where database != .private && error.code == .permissionDenied {
                    return world.situations.note("a save was refused for want of a right")
                }
                if isGone { world.situations.note("a link was saved when one of its ends had gone") }
                world.saved(promises, on: self, .saved)
                tellOfSave()
            }
        }
    }

    func read<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result? {
        guard let process = living else { return nil }
        return try body(ManagedObjectContext(coordinator: process.coordinator))
    }
}

extension SimulatedDevice.Process {
    /// Whether an object is stored.
    func has(_ id: ObjectID) throws -> Bool {
        guard let entity = coordinator.model.entity(named: id.entityName) else { return false }
        return try store.rows(of: entity, keys: [id.key]).count > 0
    }

    /// The keys of all stored objects.
    fileprivate func keys() throws -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for entity in coordinator.model.entities {
            keys.formUnion(try store.fetchKeys(StoreFetchRequest(entity: entity)))
        }
        return keys
    }
}

extension ManagedObject {
    /// The object's name in the trace.
    var label: String { String(key.uuidString.suffix(4)) }
}

extension World {
    func any<Element>(_ all: [Element]) -> Element? { all.randomElement(using: &scheduler.random) }

    /// A value that no other write has.
    func uniqueText(_ device: SimulatedDevice) -> String { "\(device.name.suffix(1))-\(uniqueNumber())" }
}
