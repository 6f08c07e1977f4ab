import Backstitch

// Of several processes that have a store open one syncs it. All that it must know to go on is in the journal, so that
// the next one knows it too; what this engine remembers beside that is of before.
extension SyncEngine {
    mutating func tookOver(isSetUp: Bool, isFirstSyncComplete: Bool, isOff: Bool) {
        var main = mainZone
        main.tookOver(isSetUp: isSetUp, isFirstSyncComplete: isFirstSyncComplete)
        zones = [0: main]
        mayOthersHavePushed = true
        // The one before has left what its pages lacked.
        assetsMayBeMissing()
        setPause(isOff ? [.off] : [], clearing: [.standby, .off])
    }

    mutating func lostLead() {
        // It listens for whoever was signed in; the next time that this process leads it may be another user.
        pushListenerIsStale()
        setPause([.standby], clearing: [])
    }
}
