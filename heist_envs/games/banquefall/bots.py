BOTS={}
