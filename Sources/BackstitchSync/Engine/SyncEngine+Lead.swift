import Backstitch

// If several processes have a store open, one syncs it. All necessary state is in the journal, so the next process
// finds it there. Other state of this engine is out of date after a change of the leader.
extension SyncEngine {
    mutating func tookOver(isSetUp: Bool, isFirstSyncComplete: Bool, isOff: Bool) {
        var main = mainZone
        main.tookOver(isSetUp: isSetUp, isFirstSyncComplete: isFirstSyncComplete)
        zones = [0: main]
        mayOthersHavePushed = true
        // The previous leader may have left assets that its pages lacked.
        assetsMayBeMissing()
        setPause(isOff ? [.off] : [], clearing: [.standby, .off])
    }

    mutating func lostLead() {
        // The listener belongs to the user who was signed in; at the next takeover it may be another user.
        pushListenerIsStale()
        setPause([.standby], clearing: [])
    }
}
