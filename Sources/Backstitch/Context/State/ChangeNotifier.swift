import Foundation

/// The changes of a context that its observers have not been told of, and the observers.
///
/// Telling runs code of observers and of the program. So the changes are taken out before, and changes noted meanwhile
/// belong to the next turn. Noting a change calls only ``scheduleProcessing``, and calls it before anything is noted.
///
/// It is a class, so that a context has it as a constant. Setting a property costs a step from the context to here. A
/// struct would be under access while observers are told, and their calls lead back to it.
final class ChangeNotifier {
    /// The changes of this turn.
    private var untold = ContextChanges(newcomers: Newcomers(turn: 1))
    /// Rises when observers are told.
    private var turn: UInt32 = 1
    /// Rises when observers or children are told, so that each object is noted once for each telling.
    private var noteTurn: UInt32 = 1
    /// The changes that the child contexts have not been told of. They are kept only while there are children.
    private var news = ChildNews()
    /// Whether changes are noted property by property. Results that depend on related objects need this.
    private(set) var tracksProperties = false
    /// Arranges for ``ManagedObjectContext/processPendingChanges()`` to be called soon; nil if the program calls it.
    var scheduleProcessing: (() -> Void)?

    private var observers: [ObjectIdentifier: WeakObserver] = [:]
    private var children: [ObjectIdentifier: WeakContext] = [:]
    private let changeBroadcast = Broadcast<StoreChanges>()
    private let saveBroadcast = Broadcast<StoreChanges>()

    /// Whether there are changes to tell observers.
    var hasNews: Bool { !untold.isEmpty }

    /// Whether there are changes to tell child contexts.
    var hasNewsForChildren: Bool { !news.isEmpty }

    /// The changes of the context from now on, by identity.
    var changes: AsyncStream<StoreChanges> { changeBroadcast.stream() }

    /// The saves of the context from now on, by identity.
    var saves: AsyncStream<StoreChanges> { saveBroadcast.stream() }

    /// Has an observer told of changes from now on. The observer is not held.
    func add(_ observer: any ContextObserver) { observers[ObjectIdentifier(observer)] = WeakObserver(value: observer) }

    /// Stops telling an observer of changes. It is named by its identity, because an object that is ending cannot be
    /// referred to.
    func remove(_ observer: ObjectIdentifier) { observers[observer] = nil }

    /// Starts telling a child context of changes. The child is not held.
    func addChild(_ child: ManagedObjectContext) { children[ObjectIdentifier(child)] = WeakContext(value: child) }

    /// Stops telling a child of changes. It is named by its identity, because an object that is ending cannot be
    /// referred to.
    func removeChild(_ child: ObjectIdentifier) {
        children[child] = nil
        if children.isEmpty { news = ChildNews() }
    }

    /// Starts noting changes property by property.
    func trackProperties() { tracksProperties = true }
}

// Noting changes.
extension ChangeNotifier {
    /// Notes a new object.
    func noteInsertion(of object: ManagedObject) {
        note(object, .inserted) { $0.newcomers.insert(object) }
        object.toldTurn = noteTurn
    }

    /// Notes the setting of a property by its slot. Each setting calls it, so a repeated note costs only a comparison.
    @inline(__always)
    func noteChange(of object: ManagedObject, at slot: Int) {
        if tracksProperties { untold.touched.own.insert(slot, of: object.entity.linkIndex) }
        guard object.toldTurn != noteTurn else { return }
        object.toldTurn = noteTurn
        note(object, .updated) { if !$0.newcomers.contains(object) { $0.updated.insert(object) } }
    }

    /// Notes that an object is deleted or vanishes. If it returns, its changes are noted anew.
    func noteDeletion(of object: ManagedObject) {
        object.toldTurn = 0
        note(object, .deleted) { $0.noteDeletion(of: object) }
    }

    /// Notes that a deleted object is back.
    func noteReturn(of object: ManagedObject) {
        object.toldTurn = 0
        note(object, .inserted) { $0.noteReturn(of: object) }
    }

    /// Notes that an object will read other values.
    func noteRefresh(of object: ManagedObject) { note(object, .updated) { $0.noteRefresh(of: object) } }

    /// Notes changes made elsewhere to objects that are not in memory.
    func noteUnregistered(_ changes: StoreChanges) {
        note { $0.unregistered.merge(changes) }
        if !children.isEmpty { news.note(changes) }
    }

    /// Notes an object that is forgotten here. Only child contexts can have seen its changes.
    func noteForChildren(_ object: ManagedObject) {
        if !children.isEmpty { news.note(object.objectID, .updated) }
    }

    private func note(_ object: ManagedObject, _ kind: ChildNews.Kind, _ change: (inout ContextChanges) -> Void) {
        note(change)
        if !children.isEmpty { news.note(object.objectID, kind) }
    }

    private func note(_ change: (inout ContextChanges) -> Void) {
        if untold.isEmpty { scheduleProcessing?() }
        change(&untold)
    }
}

// Noting properties, once something depends on them. They are told along with a change of an object.
extension ChangeNotifier {
    /// Notes that the links at an end changed.
    ///
    /// - Parameter isHeld: Whether the object at this end is in memory.
    func noteLinks(at end: LinkEnd, isHeld: Bool) {
        if tracksProperties { untold.touched.note(end, isHeld: isHeld) }
    }

    /// Notes that the properties in these slots of an object changed.
    func noteProperties(at slots: [Int], of object: ManagedObject) {
        guard tracksProperties else { return }
        for slot in slots { untold.touched.own.insert(slot, of: object.entity.linkIndex) }
    }

    /// Notes that any property of an object may have changed.
    func noteAllProperties(of object: ManagedObject) {
        if tracksProperties { untold.touched.noteRefresh(of: object) }
    }

    /// Notes the properties that were changed elsewhere.
    func noteProperties(of changes: StoreChanges, in model: ResolvedModel) {
        if tracksProperties { untold.touched.note(changes, in: model) }
    }
}

// Telling.
extension ChangeNotifier {
    /// Tells child contexts of the changes since the last call. It does so in the middle of a turn too, because they
    /// may look into their parent at any time. Complexity: O(changes).
    func tellChildren(of context: ManagedObjectContext) {
        guard hasNewsForChildren else { return }
        var changes = news.changes
        news = ChildNews()
        noteTurn &+= 1
        // The properties of the whole turn include the properties of these changes.
        changes.changedProperties = tracksProperties ? untold.touched.names(in: context.model) : nil
        for child in children.values { child.value?.mailbox.put(changes) }
    }

    /// Tells observers and child contexts of the changes since the last call. Complexity: O(changes).
    func tellObservers(in context: ManagedObjectContext) {
        tellChildren(of: context)
        guard hasNews else { return }
        var changes = untold
        beginTurn()
        changes.newcomers.settle()
        for observer in observers.values { observer.value?.contextDidChange(changes) }
        post(ManagedObjectContext.didChangeObjects, [ManagedObjectContext.changesKey: changes], from: context)
        if changeBroadcast.hasReaders { changeBroadcast.yield(changes.identities) }
    }

    private func beginTurn() {
        turn &+= 1
        noteTurn &+= 1
        untold = ContextChanges(newcomers: Newcomers(turn: turn))
    }

    /// Tells that a save is about to write.
    func tellOfSaveToCome(in context: ManagedObjectContext) {
        post(ManagedObjectContext.willSaveObjects, from: context)
    }

    /// Tells of a save that has been written.
    func tellOfSave(_ changes: ContextChanges, _ identities: StoreChanges, in context: ManagedObjectContext) {
        post(ManagedObjectContext.didSaveObjects, [ManagedObjectContext.changesKey: changes], from: context)
        post(ManagedObjectContext.didSaveObjectIDs, [ManagedObjectContext.identitiesKey: identities], from: context)
        saveBroadcast.yield(identities)
    }

    private func post(_ name: Notification.Name, _ userInfo: [String: Any] = [:], from context: ManagedObjectContext) {
        NotificationCenter.default.post(name: name, object: context, userInfo: userInfo)
    }

    /// Ends all telling, because the context's work is done.
    func close() {
        untold = ContextChanges(newcomers: Newcomers(turn: turn))
        observers = [:]
        children = [:]
        news = ChildNews()
        changeBroadcast.finish()
        saveBroadcast.finish()
    }
}

extension ChangeNotifier {
    /// Returns a message for each inconsistency in its data. Complexity: O(new objects of the turn).
    func _checkInvariants() -> [String] {
        var broken = BrokenInvariants()
        let newcomers = untold.newcomers
        broken.require(
            newcomers.turn == turn, "new objects of turn \(newcomers.turn) are to be told of in turn \(turn)")
        broken.require(
            newcomers.objects.count == newcomers.count,
            "\(newcomers.objects.count) new objects are to be told of, and \(newcomers.count) counted")
        broken.require(
            newcomers._length <= max(17, newcomers.count * 2),
            "\(newcomers.count) new objects have \(newcomers._length) places")
        return broken.messages
    }
}
