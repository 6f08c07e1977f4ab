// A parked record of an object in another zone gets one decision, each time when zones were read. The first row that
// fits decides:
//
// | the object | the record | decision |
// |---|---|---|
// | is not here, or is in the record's zone | | `arrive` |
// | is gone from its zone | is the one that the deletion names, or may be of the zone's owner | `arrive` |
// | | came, and not all zones were read since | `wait` |
// | | stays parked already | `stay` |
// | is one that values identify | | `tell` |
// | | is of another user, or this device carries out no moves | `tell` |
// | | is new, and another device may be about to finish a move | `giveTime` |
// | has an unsent deletion | | `arrive` |
// | has no record in its zone | | `arrive` |
// | has a record in its zone | | `ask` |

/// The treatment of a parked record of an object in another zone.
enum SecondRecordDecision: Equatable {
    /// The record is applied. The object goes to its zone, and an unsent deletion is weighed against it.
    case arrive
    /// Nothing: other zones may still explain the record.
    case wait
    /// Nothing: the record stays parked, and was reported.
    case stay
    /// The record stays parked, and is reported.
    case tell
    /// Nothing, until another device has had time to delete the object's other record.
    case giveTime
    /// The server is asked for the object's other record. The younger one of the two decides (`MoveTwins`).
    case ask
}
