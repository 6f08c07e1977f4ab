// Each piece of news of the server gets one verdict. The first row that fits decides:
//
// | the news | the object here | verdict |
// |---|---|---|
// | a deletion | is in another zone | `leave` |
// | a record | is not in this zone, and the record is about to be deleted | `echo` |
// | a record | is in another zone, and this device has made the record there to move it | `echo` |
// | a record | is in another zone, and nothing explains the record | `park` |
// | a deletion | is in this zone, and may have moved to another one | `keep` |
// | a record of the known version | | `echo`, if the version may be skipped |
// | a record of the known version | has an unsent deletion of that version | `stand` |
// | a deletion in a zone of another user | has unsent changes, which that user has removed or hidden | `takeBack` |
// | a record or a deletion | has unsent changes | `merge` |
// | a record or a deletion | was only removed here | `follow` |
// | a record | was deleted here before its insert arrived | `withdraw` |
// | a record | has no unsent changes | `apply` |
// | a deletion | has no unsent changes | `delete` |

/// The treatment of a piece of news of the server.
enum Verdict: Equatable {
    /// The end of a record is noted, whose object is in another zone.
    case leave
    /// Nothing: this device knows it.
    case echo
    /// The record waits until it is known why its object is in another zone.
    case park
    /// The object stays until it is known whether another zone has it.
    case keep
    /// Nothing: the deletion is still to be sent, and meets the version that it was made for.
    case stand
    /// The unsent changes are reported as taken back, and the object is deleted.
    case takeBack
    /// The record or the deletion is merged with the unsent changes.
    case merge
    /// The version of the record is noted, and the object stays away.
    case follow
    /// The deletion of the record is added to the outbox.
    case withdraw
    /// The object takes the record's values.
    case apply
    /// The object is deleted.
    case delete
}
