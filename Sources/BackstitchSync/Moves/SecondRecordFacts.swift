/// The knowledge of this device about a parked record of an object in another zone. It decides what is done with the
/// record. To find it, nothing is written.
struct SecondRecordFacts: Equatable {
    /// The state of the object, as far as this device knows.
    enum Object: Equatable, CaseIterable {
        /// The object is not here, or is in the record's zone.
        case notElsewhere
        /// Its record is gone from its zone.
        case gone
        /// Its deletion is unsent.
        case deleted
        /// Its zone has no record of it yet.
        case unsent
        /// Its zone has a record of it.
        case known
    }

    var object = Object.known
    /// Whether the deletion of the object's other record names the zone of this one.
    var isNamed = false
    /// Whether the owner of the record's zone may have made it.
    var mayBeOfOwner = false
    /// Whether all zones were read since the record came.
    var areZonesRead = false
    /// Whether the record stays parked for good, and was reported.
    var isTold = false
    /// Whether values identify the object.
    var isIdentifiedByValues = false
    /// Whether this device carries out moves.
    var mayMove = false
    /// Whether this device may have made the record. It then waits for no other device.
    var mayBeOfThisDevice = false
    /// Whether another device may still be about to delete the object's other record.
    var isNew = false

    /// The first row of the table in `SecondRecordDecision.swift` that fits.
    var decision: SecondRecordDecision {
        if object == .notElsewhere { return .arrive }
        if object == .gone, isNamed || mayBeOfOwner { return .arrive }
        if !areZonesRead { return .wait }
        if isTold { return .stay }
        if isIdentifiedByValues || !mayBeOfOwner || !mayMove { return .tell }
        if isNew, !mayBeOfThisDevice { return .giveTime }
        return object == .known ? .ask : .arrive
    }
}
