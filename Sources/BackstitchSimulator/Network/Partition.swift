/// Which way nothing gets through between one device and the server.
enum Partition {
    case none, both, towardsServer, towardsDevice
}
