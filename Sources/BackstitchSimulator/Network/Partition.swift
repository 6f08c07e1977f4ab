/// The blocked direction between a device and the server.
enum Partition {
    case none, both, towardsServer, towardsDevice
}
