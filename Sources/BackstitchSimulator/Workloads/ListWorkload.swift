import Backstitch

/// Lists shared by all devices, which add items. At the end each promised item must be there exactly once.
final class ListWorkload: Workload {
    private unowned let world: World
    /// The promised items, by text.
    private var promised: [String: Promise] = [:]
    private var attempted: Set<String> = []

    private struct Promise {
        let place: Ledger.Place
        let device: String
        let commit: Int
    }

    init(_ world: World) { self.world = world }

    func act(on device: SimulatedDevice) throws {
        var texts: [(String, Ledger.Place)] = []
        let outcome = try device.edit { context, promises in
            var lists = try context.fetch(FetchRequest<SimulatedList>())
            if lists.isEmpty || world.scheduler.chance(100) {
                let list = SimulatedList(context: context)
                promises.set(list, "name", world.uniqueText(device))
                lists = [list]
            }
            for _ in 0..<Int(world.scheduler.pick(1...4)) {
                let item = SimulatedItem(context: context)
                let text = world.uniqueText(device)
                promises.set(item, "text", text)
                item["list"] = world.any(lists)
                promises.say("adds item \(item.label) \(text)")
                texts.append((text, Ledger.Place(item.key, "text")))
            }
        }
        attempted.formUnion(texts.map(\.0))
        guard outcome == .saved else { return }
        for (text, place) in texts {
            promised[text] = Promise(place: place, device: device.name, commit: device.disk.commits)
        }
    }

    func lost(_ cut: PowerCut) {
        promised = promised.filter { text, promise in
            !cut.takes(promise.commit, of: promise.device) || world.ledger.hasTaken(promise.place, text)
        }
    }

    func judge(_ device: SimulatedDevice) throws {
        let found = try device.read { context in
            try context.fetch(FetchRequest<SimulatedItem>()).map { item in
                (item["text"] as String?, (item["list"] as SimulatedList?) != nil)
            }
        }
        guard let found else { return }
        let texts = found.compactMap(\.0)
        let missing = Set(promised.keys).subtracting(texts).sorted()
        if !missing.isEmpty { world.fail("\(device.name) lacks the items \(missing)") }
        if Set(texts).count != texts.count { world.fail("\(device.name) has an item twice") }
        let foreign = Set(texts).subtracting(attempted).sorted()
        if !foreign.isEmpty { world.fail("\(device.name) has items that nobody has added: \(foreign)") }
        if found.contains(where: { !$0.1 }) { world.fail("\(device.name) has an item without its list") }
    }
}
